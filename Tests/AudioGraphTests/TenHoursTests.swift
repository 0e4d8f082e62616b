import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Ten hours of sound: the memory stays as it was after ten seconds, and every second of a sound that
/// repeats itself is the first one, to the bit. Without `DUET_LONG_TESTS` one minute.
@Suite(.ownProcess("measures the memory of the whole process")) struct TenHoursTests {
    private static let seconds =
        LongTests.areRun ? 36_000 : 60
    private static let noise = Signal.noise(48_000, seed: 10)

    /// What a second sounded like, compared with every later one.
    private final class Repetition: @unchecked Sendable {
        // Safety: one thread at a time; whoever waits for `second` reads after it was written.
        private let length: Int
        private var (first, next): ([Float], [Float]) = ([], [])
        private(set) var faults = 0
        let second = DispatchSemaphore(value: 0)

        init(length: Int) { self.length = length }

        /// Takes samples in the order of their frames.
        func take(_ samples: some Collection<Float>) {
            next += samples
            while next.count >= length {
                let whole = Array(next[..<length])
                next.removeFirst(length)
                if first.isEmpty { first = whole } else if whole != first { faults += 1 }
                second.signal()
            }
        }

        var isSilent: Bool { first.allSatisfy { $0 == 0 } }
    }

    /// Renders second after second, each of which `render` has heard before it returns.
    private func play(_ name: String, render: (_ second: Int) throws -> Void) throws {
        var (first, peak) = (0, 0)
        for second in 1...Self.seconds {
            try render(second)
            if second == 10 { first = anonymousMemory() }
            if second > 10, second % 10 == 0 { peak = max(peak, anonymousMemory()) }
        }
        print("\(name): \(first >> 10) KiB after 10 s, at most \(peak >> 10) KiB")
        #expect(peak - first < 1 << 20)
    }

    private static func graph(_ nodes: [AudioNode], _ connect: (Graph) throws -> Void) throws
        -> Graph
    {
        let graph = Graph(sampleRate: 48_000)
        for node in nodes { try graph.add(node) }
        try connect(graph)
        try graph.prepare()
        try graph.start()
        return graph
    }

    /// At another rate than the graph's, filled by a closure.
    @Test func aQueue() throws {
        let (io, heard) = (HardwareIO(inputChannels: 0), Repetition(length: 48_000))
        nonisolated(unsafe) var next = 0
        let player = QueuePlayerNode(
            format: StreamFormat(sampleRate: 44_100, channelCount: 1), frames: 1470
        ) { buffer in
            buffer.set([Array(Self.noise[next..<next + 1470])])
            next = (next + 1470) % 44_100
        }
        let graph = try Self.graph([io, player]) { try $0.connect(player, to: io) }
        let renderer = try OfflineRenderer(graph)
        player.start()
        try play("queue player") { second in
            let out = renderer.render(frames: 48_000)[0]
            // The first second begins in silence, and not in the one before.
            if second > 1 { heard.take(out) }
        }
        #expect(heard.faults == 0 && !heard.isSilent && player.underruns == 0)
        #expect(abs(player.position - Self.seconds * 44_100) < 200)
    }

    @Test func aTap() throws {
        let heard = Repetition(length: 44_100)
        nonisolated(unsafe) var next = 0
        nonisolated(unsafe) var gaps = 0
        let tap = TapNode(sampleRate: 44_100, slices: 1024) { frame, channels in
            if frame != next { gaps += 1 }
            next = frame + channels[0].count
            // The converter's first second begins in silence.
            heard.take(channels[0][max(0, min(channels[0].count, 44_100 - frame))...])
        }
        let stage = try UnitStage(tap)
        let renderer = try OfflineRenderer(stage.graph)
        try play("tap") { second in
            #expect(renderer.render(frames: 48_000, inputs: [Self.noise])[0] == Self.noise)
            // Of the last second the converter's filter holds some frames back.
            if second > 2 { #expect(heard.second.wait(timeout: .now() + 30) == .success) }
        }
        #expect(heard.faults == 0 && !heard.isSilent)
        #expect(gaps == 0 && tap.droppedFrames == 0)
    }

    @Test func aGenericOutput() throws {
        let heard = Repetition(length: 44_100)
        nonisolated(unsafe) var taken = 0
        let io = HardwareIO(inputChannels: 0)
        let output = GenericOutput(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2)
        ) { buffer in
            let samples = buffer.samples(channel: 1)
            heard.take(samples[max(0, min(samples.count, 44_100 - taken))...])
            taken += samples.count
        }
        let player = QueuePlayerNode(
            format: StreamFormat(sampleRate: 48_000, channelCount: 1), frames: 48_000
        ) { $0.set([Self.noise]) }
        let graph = try Self.graph([io, player, output]) { try $0.connect(player, to: output) }
        player.start()
        try play("generic output") { _ in try output.render(frames: 48_000) }
        #expect(heard.faults == 0 && !heard.isSilent)
        // The last second ends in silence.
        try output.finish()
        #expect(output.droppedFrames == 0 && player.underruns == 0)
        #expect(taken == Self.seconds * 44_100)
        #expect(graph.renderedFrames == Self.seconds * 48_000)
    }

    /// A function that is pulled for its own rate.
    @Test func aCallback() throws {
        let heard = Repetition(length: 48_000)
        let source = CallbackSource(channelCount: 1, sampleRate: 44_100) {
            _, _, frame, _, _, count, _, buffers in
            for n in 0..<Int(count) {
                let place = (frame + Int64(n)) % 44_100
                buffers![0]![n] = Float(place * place % 1009) / 1009
            }
            return 0
        }
        let stage = try UnitStage(source)
        let renderer = try OfflineRenderer(stage.graph)
        let silence = [Float](repeating: 0, count: 48_000)
        try play("callback") { second in
            let out = renderer.render(frames: 48_000, inputs: [silence])[0]
            if second > 1 { heard.take(out) }
        }
        #expect(heard.faults == 0 && !heard.isSilent && source.errors.count == 0)
    }

    @Test func aPlace() throws {
        let (heard, panner) = (Repetition(length: 48_000), BinauralPannerNode())
        panner.azimuth = 50
        let stage = try UnitStage(panner)
        #expect(panner.waitUntilRead(milliseconds: 60_000))
        let renderer = try OfflineRenderer(stage.graph)
        try play("binaural panner") { second in
            let out = renderer.render(frames: 48_000, inputs: [Self.noise])[1]
            if second > 1 { heard.take(out) }
        }
        #expect(heard.faults == 0 && !heard.isSilent)
    }

    /// It adapts for ever: finite, as loud as at the beginning, never late.
    @Test func aProcessedVoice() throws {
        let processor = VoiceProcessorNode(period: 512)
        let io = HardwareIO()
        let graph = try Self.graph([io, processor]) { graph in
            try graph.connect(io, bus: 1, to: processor)
            try graph.connect(processor, to: io)
        }
        let renderer = try OfflineRenderer(graph)
        renderer.patience = 30_000
        let voice = (0..<48_000).map { n -> Float in
            let time = Float(n) / 48_000
            return 0.3 * sin(2 * .pi * 220 * time) * (0.5 - 0.5 * cos(2 * .pi * 3 * time))
        }
        var levels: [Float] = []
        try play("voice processor") { _ in
            let out = renderer.render(frames: 48_000, inputs: [voice])[0]
            levels.append(out.reduce(0) { $0 + $1 * $1 }.squareRoot())
        }
        #expect(processor.lateFrames == 0 && levels.allSatisfy(\.isFinite))
        let settled = levels[20]
        let furthest = levels[20...].map { abs(20 * log10($0 / settled)) }.max()!
        print("voice processor: the level moves by \(furthest) dB")
        #expect(furthest < 3)
    }
}
