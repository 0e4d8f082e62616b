import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Buffers that are played one after the other.
@Suite struct QueuePlayerTests {
    /// What a player tells, and a source of numbered frames for it.
    final class Witness: @unchecked Sendable {
        // Safety: `lock` guards all.
        private let lock = NSLock()
        private var (done, runs): ([Bool], [Bool]) = ([], [])
        private var names: [Int] = []
        private var next = 0
        private var end = Int.max
        /// Holds the filling back while it is locked.
        let gate = NSLock()

        func listen(_ event: QueueEvent) {
            lock.withLock {
                switch event {
                case .finished(_, let wasPlayed): done.append(wasPlayed)
                case .running(let runs): self.runs.append(runs)
                }
            }
        }

        func complete(_ name: Int) { lock.withLock { names.append(name) } }

        /// Fills with the numbers of the frames, divided by 2²⁰.
        func fill(_ buffer: AudioBuffer) {
            gate.lock()
            gate.unlock()
            let frames = lock.withLock { () -> Range<Int> in
                let count = min(buffer.capacity, end - next)
                next += count
                return next - count..<next
            }
            let samples = frames.map { Float($0) / 0x10_0000 }
            buffer.set(Array(repeating: samples, count: buffer.format.channelCount))
        }

        func go(to frame: Int) { lock.withLock { next = frame } }
        func end(at frame: Int) { lock.withLock { end = frame } }
        var finished: [Bool] { lock.withLock { done } }
        var running: [Bool] { lock.withLock { runs } }
        var completed: [Int] { lock.withLock { names } }
    }

    static let mono = StreamFormat(sampleRate: 48_000, channelCount: 1)

    static func buffer(_ samples: [Float]) -> AudioBuffer {
        AudioBuffer([samples], sampleRate: 48_000)
    }

    /// Renders silence in, waiting for buffers that are filled.
    static func render(
        _ stage: UnitStage, _ frames: Int, period: Int = 64
    ) throws -> [Float] {
        let renderer = try OfflineRenderer(stage.graph, period: period)
        return renderer.render(frames: frames, inputs: [[Float](repeating: 0, count: frames)])[0]
    }

    /// Numbers as `Witness.fill` gives them.
    static func numbers(_ frames: Range<Int>) -> [Float] {
        frames.map { Float($0) / 0x10_0000 }
    }

    private static let periods = [1, 37, 64, 256, 1000]

    @Test(arguments: periods) func buffersFollowWithoutAGap(period: Int) throws {
        let player = QueuePlayerNode(format: Self.mono)
        let noise = Signal.noise(5000, seed: 1)
        for part in [0..<1, 1..<700, 700..<700, 700..<5000] {
            try player.schedule(Self.buffer(Array(noise[part])))
        }
        let stage = try UnitStage(player)
        // Before the start nothing is heard.
        #expect(try Self.render(stage, 100, period: period).allSatisfy { $0 == 0 })
        player.start()
        let out = try Self.render(stage, 6000, period: period)
        #expect(firstDifference([out], [noise + [Float](repeating: 0, count: 1000)]) == nil)
        #expect(player.position == 5000 && player.isRunning && player.underruns == 0)
    }

    @Test(arguments: periods) func theStartIsExact(period: Int) throws {
        let player = QueuePlayerNode(format: Self.mono)
        let noise = Signal.noise(500, seed: 2)
        try player.schedule(Self.buffer(noise))
        let stage = try UnitStage(player)
        _ = try Self.render(stage, 123, period: period)
        player.start(at: 1234)
        let out = try Self.render(stage, 2000, period: period)
        let silence = [Float](repeating: 0, count: 1111)
        #expect(out[..<1111].elementsEqual(silence) && Array(out[1111..<1611]) == noise)
        // A frame that is over means now.
        try player.schedule(Self.buffer(noise))
        player.stop()
        _ = try Self.render(stage, 300, period: period)
        try player.schedule(Self.buffer(noise))
        player.start(at: 5)
        #expect(Array(try Self.render(stage, 500, period: period)) == noise)
    }

    @Test func framesAreTrimmed() throws {
        let player = QueuePlayerNode(format: Self.mono)
        let samples = Self.numbers(1..<11)
        try player.schedule(Self.buffer(samples), trimmingFirst: 2, trimmingLast: 3)
        try player.schedule(Self.buffer(samples), trimmingFirst: 8, trimmingLast: .max)
        try player.schedule(Self.buffer(samples), trimmingFirst: .max)
        try player.schedule(Self.buffer(samples), trimmingFirst: -1, trimmingLast: .min)
        let stage = try UnitStage(player)
        player.start()
        let out = try Self.render(stage, 20)
        #expect(Array(out[..<16]) == Self.numbers(3..<8) + samples + [0])
        #expect(player.position == 15)
    }

    @Test(arguments: periods) func aPauseStandsStill(period: Int) throws {
        let player = QueuePlayerNode(format: Self.mono)
        let noise = Signal.noise(4000, seed: 3)
        try player.schedule(Self.buffer(noise))
        let stage = try UnitStage(player)
        player.start()
        try player.schedule(.pause, to: 1, at: 1000)
        try player.schedule(.pause, to: 0, at: 2000)
        let out = try Self.render(stage, 3000, period: period)
        #expect(Array(out[..<1000]) == Array(noise[..<1000]))
        for n in 0..<240 {
            #expect(out[1000 + n] == noise[1000 + n] * (1 + (0 - 1) * (Float(n) / 240)))
            #expect(out[2000 + n] == noise[1240 + n] * (Float(n) / 240))
        }
        #expect(out[1240..<2000].allSatisfy { $0 == 0 })
        #expect(Array(out[2240...]) == Array(noise[1480..<2240]))
        #expect(player.position == 2240 && player.currentTime == 2240.0 / 48_000)
    }

    @Test func theVolumeHasARamp() throws {
        let player = QueuePlayerNode(format: Self.mono)
        try player.schedule(Self.buffer([Float](repeating: 0.5, count: 4000)))
        let stage = try UnitStage(player)
        player.start()
        player.volume = Volume(gain: 0.5)
        #expect(try Self.render(stage, 100)[0] == 0.25)
        try player.schedule(.volume, to: 1, at: 200, ramp: 1000)
        let out = try Self.render(stage, 1200)
        #expect(out[99] == 0.25 && abs(out[600] - 0.375) < 1e-6 && out[1100] == 0.5)
    }

    @Test(arguments: periods) func aStopFadesAndGivesTheBuffersBack(period: Int) throws {
        let witness = Witness()
        let player = QueuePlayerNode(format: Self.mono, listener: witness.listen)
        let steady = [Float](repeating: 0.5, count: 100)
        for name in 0..<10 {
            try player.schedule(Self.buffer(steady)) { wasPlayed in
                witness.complete(wasPlayed ? name : -name)
            }
        }
        let stage = try UnitStage(player)
        player.start()
        _ = try Self.render(stage, 250, period: period)
        #expect(poll { witness.running == [true] && witness.completed == [0, 1] })
        player.stop()
        let out = try Self.render(stage, 480, period: period)
        for n in 0..<240 { #expect(out[n] == 0.5 * (1 + (0 - 1) * (Float(n) / 240))) }
        #expect(out[240...].allSatisfy { $0 == 0 } && !player.isRunning)
        #expect(poll { witness.running == [true, false] && player.queuedCount == 0 })
        // Two and a half buffers sound while it fades.
        #expect(witness.completed == [0, 1, 2, 3, -4, -5, -6, -7, -8, -9])
        #expect(witness.finished == witness.completed.map { $0 >= 0 })
        // It may start again.
        try player.schedule(Self.buffer(steady))
        player.start()
        #expect(Array(try Self.render(stage, 150, period: period)[..<100]) == steady)
    }

    @Test func itStopsWhenAllWasPlayed() throws {
        let witness = Witness()
        let player = QueuePlayerNode(format: Self.mono, listener: witness.listen)
        let noise = Signal.noise(300, seed: 4)
        try player.schedule(Self.buffer(noise))
        let stage = try UnitStage(player)
        player.start()
        player.stop(.whenPlayed)
        // It belongs to the next run.
        try player.schedule(Self.buffer([1, 1]))
        #expect(player.isRunning)
        let out = try Self.render(stage, 400)
        #expect(Array(out[..<300]) == noise && out[300...].allSatisfy { $0 == 0 })
        #expect(!player.isRunning)
        #expect(poll { player.queuedCount == 1 })
        #expect(poll { witness.finished == [true] && witness.running.last == false })
        player.start()
        #expect(try Self.render(stage, 3) == [1, 1, 0] && player.isRunning)
    }

    @Test func aResetDropsAndRunsOn() throws {
        let player = QueuePlayerNode(format: Self.mono)
        try player.schedule(Self.buffer([Float](repeating: 1, count: 9000)))
        let stage = try UnitStage(player)
        player.start()
        _ = try Self.render(stage, 1000)
        player.reset()
        try player.schedule(Self.buffer([Float](repeating: -1, count: 1000)))
        let out = try Self.render(stage, 1000)
        // 5 ms of the old, 5 ms into the new.
        #expect(out[239] > 0 && out[240] == 0 && out[241] < 0 && out[480] == -1)
        #expect(player.position == 760 && player.isRunning)
    }

    /// In its own rate and layout: the bits that a converter gives.
    @Test(arguments: [37, 256, 1000], [SampleLayout.planar, .interleaved, .int16])
    func itsFormatIsItsOwn(period: Int, layout: SampleLayout) throws {
        let format = StreamFormat(sampleRate: 44_100, channelCount: 2, layout: layout)
        let all = AudioBuffer(format: format, capacity: 4410)
        all.set([Signal.noise(4410, seed: 5), Signal.noise(4410, seed: 6)])
        let converter = try Converter(
            from: format, to: StreamFormat(sampleRate: 48_000, channelCount: 2), timing: .aligned)
        var expected = (0..<2).map { _ in [Float]() }
        for part in [converter.convert(all), converter.drain()] {
            for channel in 0..<2 { expected[channel] += part.samples(channel: channel) }
        }
        #expect(expected[0].count == 4800)
        let player = QueuePlayerNode(format: format)
        try player.schedule(all, trimmingLast: 4000)
        try player.schedule(all, trimmingFirst: 410)
        let stage = try UnitStage(player)
        player.start(at: 100)
        player.stop(.whenPlayed)
        let out = try OfflineRenderer(stage.graph, period: period)
            .render(frames: 6000, inputs: [[Float](repeating: 0, count: 6000)])
        #expect(firstDifference(out.map { Array($0[100..<4900]) }, expected) == nil)
        // What the filter still gives, less than 3 ms, and then nothing.
        #expect(out[0][5050...].allSatisfy { $0 == 0 } && !player.isRunning)
        #expect(player.position == 4410)
    }

    @Test(arguments: periods) func buffersAreFilledAsTheyArePlayed(period: Int) throws {
        let witness = Witness()
        witness.end(at: 20_000)
        let player = QueuePlayerNode(
            format: Self.mono, frames: 512, fill: witness.fill, listener: witness.listen)
        let stage = try UnitStage(player)
        #expect(player.prime() == 3)
        player.start()
        let out = try Self.render(stage, 20_500, period: period)
        #expect(Array(out[..<20_000]) == Self.numbers(0..<20_000))
        #expect(out[20_000...].allSatisfy { $0 == 0 })
        #expect(!player.isRunning && player.underruns == 0)
        #expect(poll { witness.finished == [Bool](repeating: true, count: 40) })
    }

    /// Every seek is heard at the same frame, whatever the periods.
    @Test func aSeekRefills() throws {
        func render(_ period: Int) throws -> [Float] {
            let witness = Witness()
            let player = QueuePlayerNode(format: Self.mono, frames: 700, fill: witness.fill)
            let stage = try UnitStage(player)
            player.start()
            var out: [Float] = []
            for target in [90_000, 5000, 300_000] {
                out += try Self.render(stage, 1500, period: period)
                player.seek(to: target) { witness.go(to: target) }
                #expect(player.position == target)
            }
            out += try Self.render(stage, 1500, period: period)
            #expect(player.underruns == 0)
            return out
        }
        let whole = try render(1500)
        #expect(Array(whole[..<1500]) == Self.numbers(0..<1500))
        for (start, target) in [(1500, 90_000), (3000, 5000), (4500, 300_000)] {
            #expect(
                Array(whole[start + 480..<start + 1500])
                    == Self.numbers(target + 240..<target + 1260))
        }
        for period in Self.periods {
            #expect(firstDifference([try render(period)], [whole]) == nil, "period \(period)")
        }
    }

    /// What is being filled for a place that is left is not heard.
    @Test func aSeekMayComeWhileItFills() throws {
        let witness = Witness()
        nonisolated(unsafe) weak var node: QueuePlayerNode?
        nonisolated(unsafe) var hasSought = false
        let player = QueuePlayerNode(format: Self.mono, frames: 700) { buffer in
            witness.fill(buffer)
            guard !hasSought else { return }
            hasSought = true
            node?.seek(to: 5000) { witness.go(to: 5000) }
        }
        node = player
        let stage = try UnitStage(player)
        player.start()
        #expect(try Self.render(stage, 2000) == Self.numbers(5000..<7000))
    }

    /// Live, nobody waits for what a seek asks for, and the time until it comes is no underrun.
    @Test func aSeekIsNoUnderrun() throws {
        let witness = Witness()
        let player = QueuePlayerNode(format: Self.mono, frames: 700, fill: witness.fill)
        let stage = try UnitStage(player)
        #expect(player.prime() == 3)
        player.start()
        _ = try stage.render([0, 0])
        witness.gate.lock()
        player.seek(to: 9000) { witness.go(to: 9000) }
        let out = try stage.render([Float](repeating: 0, count: 1000))[0]
        #expect(out[240...].allSatisfy { $0 == 0 } && player.underruns == 0)
        witness.gate.unlock()
        #expect(player.position == 9000)
    }

    /// A source that is late: silence, and then the very next frame.
    @Test func whatComesLateIsHeardLate() throws {
        let witness = Witness()
        let player = QueuePlayerNode(
            format: Self.mono, buffers: 2, frames: 100, fill: witness.fill,
            listener: witness.listen)
        let stage = try UnitStage(player)
        #expect(player.prime() == 2)
        witness.gate.lock()
        player.start()
        let zeros = [Float](repeating: 0, count: 320)
        let out = try stage.render(zeros)[0]
        #expect(Array(out) == Self.numbers(0..<200) + zeros[..<120])
        #expect(player.underruns == 1)
        witness.gate.unlock()
        #expect(poll { witness.finished.count == 2 && player.queuedCount == 2 })
        #expect(Array(try stage.render(zeros)[0][..<100]) == Self.numbers(200..<300))
    }

    @Test func wrongCallsAreRefused() throws {
        let player = QueuePlayerNode(format: Self.mono)
        let stereo = StreamFormat(sampleRate: 48_000, channelCount: 2)
        #expect(
            throws: QueueError.wrongFormat(
                node: "queue-player", buffer: stereo, player: Self.mono)
        ) { try player.schedule(AudioBuffer(format: stereo, capacity: 1)) }
        for _ in 0..<256 { try player.schedule(Self.buffer([1])) }
        #expect(throws: QueueError.queueIsFull(node: "queue-player", limit: 256)) {
            try player.schedule(Self.buffer([1]))
        }
        let low = QueuePlayerNode(format: StreamFormat(sampleRate: 5000, channelCount: 1))
        let error = ConverterError.ratesOutOfRange(from: 5000, to: 48_000)
        #expect(throws: GraphError.noConverter(node: "queue-player", error)) {
            try UnitStage(low)
        }
    }

    /// Its buffers live as long as the render thread may read them, and no longer.
    @Test func itMayBeFreedWhileItPlays() throws {
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        weak var source: Witness?
        weak var buffer: AudioBuffer?
        try graph.add(io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        do {
            let witness = Witness()
            let player = QueuePlayerNode(format: Self.mono, fill: witness.fill)
            let more = Self.buffer([Float](repeating: 0.5, count: 100_000))
            (source, buffer) = (witness, more)
            try graph.add(player)
            try graph.connect(player, to: io)
            try player.schedule(more)
            player.start()
            try graph.update()
            _ = renderer.render(frames: 9600)
            try graph.remove(player)
            try graph.update()
        }
        // It fades out over 10 ms.
        #expect(buffer != nil)
        let fade = renderer.render(frames: 960)[0]
        #expect(fade[1] > 0.4 && fade[959] == 0)
        for _ in 0..<3 {
            graph.collect()
            _ = renderer.render(frames: 64)
        }
        graph.collect()
        #expect(poll { source == nil && buffer == nil })
    }

    /// A plan that is in use keeps the buffers when node and thread are gone.
    @Test func aPlanKeepsTheBuffers() throws {
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        weak var buffer: AudioBuffer?
        try graph.add(io)
        do {
            let player = QueuePlayerNode(format: Self.mono, name: "freed-player")
            let more = Self.buffer([Float](repeating: 0.5, count: 100_000))
            buffer = more
            try graph.add(player)
            try graph.connect(player, to: io)
            try player.schedule(more)
            player.start()
            try graph.prepare()
            try graph.start()
            _ = try OfflineRenderer(graph).render(frames: 64)
            graph.stop()
            try graph.remove(player)
        }
        #expect(poll { !threadNames().contains("freed-player") })
        #expect(buffer != nil)
        try graph.update()
        try graph.start()
        _ = try OfflineRenderer(graph).render(frames: 64)
        graph.collect()
        #expect(poll { buffer == nil })
    }

    private func threadNames() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap {
            try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Everything at once, while another thread renders.
    @Test func allCallsMayComeWhileItPlays() throws {
        let witness = Witness()
        let player = QueuePlayerNode(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2, layout: .int16),
            frames: 300, fill: witness.fill, listener: witness.listen)
        let stage = try UnitStage(player)
        let thread = RenderThread(stage.graph, period: 64)
        defer { thread.stop() }
        for round in 0..<60 {
            player.start(at: stage.graph.renderedFrames + round)
            thread.wait(frames: 640)
            player.seek(to: round) { witness.go(to: round) }
            let buffer = AudioBuffer(format: player.format, capacity: 50)
            buffer.frameCount = 50
            try player.schedule(buffer) { _ in witness.complete(round) }
            player.isPaused = round % 3 == 0
            player.volume = Volume(gain: Double(round % 4))
            thread.wait(frames: 64)
            if round % 5 == 0 { player.reset() }
            if round % 7 == 0 { player.flush() }
            player.stop(round % 2 == 0 ? .now : .whenPlayed)
            stage.graph.collect()
        }
        player.isPaused = false
        player.stop()
        #expect(poll { !player.isRunning && player.queuedCount == 0 })
        #expect(witness.completed == Array(0..<60))
    }
}
