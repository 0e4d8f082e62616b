import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Buffers that are scheduled, and played one after the other.
@Suite struct QueuePlayerTests {
    @Test(arguments: QueueStage.periods) func buffersFollowWithoutAGap(period: Int) throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        let noise = Signal.noise(5000, seed: 1)
        for part in [0..<1, 1..<700, 700..<700, 700..<5000] {
            try player.schedule(QueueStage.buffer(Array(noise[part])))
        }
        let stage = try UnitStage(player)
        // Before the start nothing is heard.
        #expect(try QueueStage.render(stage, 100, period: period).allSatisfy { $0 == 0 })
        player.start()
        let out = try QueueStage.render(stage, 6000, period: period)
        #expect(firstDifference([out], [noise + [Float](repeating: 0, count: 1000)]) == nil)
        #expect(player.position == 5000 && player.isRunning && player.underruns == 0)
    }

    @Test(arguments: QueueStage.periods) func theStartIsExact(period: Int) throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        let noise = Signal.noise(500, seed: 2)
        try player.schedule(QueueStage.buffer(noise))
        let stage = try UnitStage(player)
        _ = try QueueStage.render(stage, 123, period: period)
        player.start(at: 1234)
        let out = try QueueStage.render(stage, 2000, period: period)
        let silence = [Float](repeating: 0, count: 1111)
        #expect(out[..<1111].elementsEqual(silence) && Array(out[1111..<1611]) == noise)
        // A frame that is over means now.
        try player.schedule(QueueStage.buffer(noise))
        player.stop()
        _ = try QueueStage.render(stage, 300, period: period)
        try player.schedule(QueueStage.buffer(noise))
        player.start(at: 5)
        #expect(Array(try QueueStage.render(stage, 500, period: period)) == noise)
    }

    @Test func framesAreTrimmed() throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        let samples = QueueStage.numbers(1..<11)
        try player.schedule(QueueStage.buffer(samples), trimmingFirst: 2, trimmingLast: 3)
        try player.schedule(QueueStage.buffer(samples), trimmingFirst: 8, trimmingLast: .max)
        try player.schedule(QueueStage.buffer(samples), trimmingFirst: .max)
        try player.schedule(QueueStage.buffer(samples), trimmingFirst: -1, trimmingLast: .min)
        let stage = try UnitStage(player)
        player.start()
        let out = try QueueStage.render(stage, 20)
        #expect(Array(out[..<16]) == QueueStage.numbers(3..<8) + samples + [0])
        #expect(player.position == 15)
    }

    @Test(arguments: QueueStage.periods) func aPauseStandsStill(period: Int) throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        let noise = Signal.noise(4000, seed: 3)
        try player.schedule(QueueStage.buffer(noise))
        let stage = try UnitStage(player)
        player.start()
        try player.schedule(.pause, to: 1, at: 1000)
        try player.schedule(.pause, to: 0, at: 2000)
        let out = try QueueStage.render(stage, 3000, period: period)
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
        let player = QueuePlayerNode(format: QueueStage.mono)
        try player.schedule(QueueStage.buffer([Float](repeating: 0.5, count: 4000)))
        let stage = try UnitStage(player)
        player.start()
        player.volume = Volume(gain: 0.5)
        #expect(try QueueStage.render(stage, 100)[0] == 0.25)
        try player.schedule(.volume, to: 1, at: 200, ramp: 1000)
        let out = try QueueStage.render(stage, 1200)
        #expect(out[99] == 0.25 && abs(out[600] - 0.375) < 1e-6 && out[1100] == 0.5)
    }

    @Test(arguments: QueueStage.periods) func aStopFadesAndGivesTheBuffersBack(period: Int) throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono, listener: witness.listen)
        let steady = [Float](repeating: 0.5, count: 100)
        for name in 0..<10 {
            try player.schedule(QueueStage.buffer(steady)) { wasPlayed in
                witness.complete(wasPlayed ? name : -name)
            }
        }
        let stage = try UnitStage(player)
        player.start()
        _ = try QueueStage.render(stage, 250, period: period)
        #expect(poll { witness.running == [true] && witness.completed == [0, 1] })
        player.stop()
        let out = try QueueStage.render(stage, 480, period: period)
        for n in 0..<240 { #expect(out[n] == 0.5 * (1 + (0 - 1) * (Float(n) / 240))) }
        #expect(out[240...].allSatisfy { $0 == 0 } && !player.isRunning)
        #expect(poll { witness.running == [true, false] && player.queuedCount == 0 })
        // Two and a half buffers sound while it fades.
        #expect(witness.completed == [0, 1, 2, 3, -4, -5, -6, -7, -8, -9])
        #expect(witness.finished == witness.completed.map { $0 >= 0 })
        // It may start again.
        try player.schedule(QueueStage.buffer(steady))
        player.start()
        #expect(Array(try QueueStage.render(stage, 150, period: period)[..<100]) == steady)
    }

    @Test func itStopsWhenAllWasPlayed() throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono, listener: witness.listen)
        let noise = Signal.noise(300, seed: 4)
        try player.schedule(QueueStage.buffer(noise))
        let stage = try UnitStage(player)
        player.start()
        player.stop(.whenPlayed)
        // It belongs to the next run.
        try player.schedule(QueueStage.buffer([1, 1]))
        #expect(player.isRunning)
        let out = try QueueStage.render(stage, 400)
        #expect(Array(out[..<300]) == noise && out[300...].allSatisfy { $0 == 0 })
        #expect(!player.isRunning)
        #expect(poll { player.queuedCount == 1 })
        #expect(poll { witness.finished == [true] && witness.running.last == false })
        player.start()
        #expect(try QueueStage.render(stage, 3) == [1, 1, 0] && player.isRunning)
    }

    @Test func aResetDropsAndRunsOn() throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        try player.schedule(QueueStage.buffer([Float](repeating: 1, count: 9000)))
        let stage = try UnitStage(player)
        player.start()
        _ = try QueueStage.render(stage, 1000)
        player.reset()
        try player.schedule(QueueStage.buffer([Float](repeating: -1, count: 1000)))
        let out = try QueueStage.render(stage, 1000)
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

    /// Buffers of another rate that come before the one before them has ended are one stream with it;
    /// what comes later begins anew. Offline that does not depend on threads or periods.
    @Test(arguments: [1, 64, 512], [1, 64, 400])
    func whatComesInTimeIsOneStream(period: Int, left: Int) throws {
        let format = StreamFormat(sampleRate: 24_000, channelCount: 1)
        let noise = Signal.noise(2000, seed: 7)
        func converted(_ samples: [Float]) throws -> [Float] {
            let converter = try Converter(from: format, to: QueueStage.mono, timing: .aligned)
            let buffer = converter.convert(AudioBuffer([samples], sampleRate: 24_000))
            return buffer.samples(channel: 0) + converter.drain().samples(channel: 0)
        }
        let player = QueuePlayerNode(format: format)
        try player.schedule(AudioBuffer([Array(noise[..<1000])], sampleRate: 24_000))
        let stage = try UnitStage(player)
        player.start()
        var out = try QueueStage.render(stage, 2000 - left, period: period)
        try player.schedule(AudioBuffer([Array(noise[1000...])], sampleRate: 24_000))
        player.stop(.whenPlayed)
        out += try QueueStage.render(stage, 3000, period: period)
        // Half of the filter's length, 128 frames, the converter holds back.
        let isInTime = left > 128
        let wanted =
            isInTime
            ? try converted(noise) : try converted(Array(noise[..<1000]))
        #expect(firstDifference([Array(out[..<wanted.count])], [wanted]) == nil)
        if !isInTime {
            let second = try converted(Array(noise[1000...]))
            // What the first one's filter still gives, less than 3 ms.
            #expect(
                (2000...2144).contains { start in
                    Array(out[start..<start + second.count]) == second
                })
        }
        #expect(player.position == 2000 && !player.isRunning)
    }

    /// Live, nobody says when the end is due: the filter has run empty before the queue has.
    @Test func theEndIsHeardLive() throws {
        let format = StreamFormat(sampleRate: 24_000, channelCount: 1)
        let player = QueuePlayerNode(format: format)
        let stage = try UnitStage(player)
        let thread = RenderThread(stage.graph, period: 64)
        defer { thread.stop() }
        for round in 1...3 {
            try player.schedule(
                AudioBuffer([[Float](repeating: 1, count: 4800)], sampleRate: 24_000))
            player.start()
            #expect(poll { player.position == 4800 * round })
        }
    }

    @Test func wrongCallsAreRefused() throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        let stereo = StreamFormat(sampleRate: 48_000, channelCount: 2)
        #expect(
            throws: QueueError.wrongFormat(
                node: "queue-player", buffer: stereo, player: QueueStage.mono)
        ) { try player.schedule(AudioBuffer(format: stereo, capacity: 1)) }
        for _ in 0..<256 { try player.schedule(QueueStage.buffer([1])) }
        #expect(throws: QueueError.queueIsFull(node: "queue-player", limit: 256)) {
            try player.schedule(QueueStage.buffer([1]))
        }
        let low = QueuePlayerNode(format: StreamFormat(sampleRate: 5000, channelCount: 1))
        let error = ConverterError.ratesOutOfRange(from: 5000, to: 48_000)
        #expect(throws: GraphError.noConverter(node: "queue-player", error)) {
            try UnitStage(low)
        }
    }
}
