import TestSupport
import Testing

@testable import AudioGraph

/// Recorders that come and go change no bit of what is played.
@Suite struct RecorderSilenceTests {
    private static let frames = 8000
    private static let mic = (5...6).map { Signal.noise(frames, seed: $0, amplitude: 0.6) }
    private static let song = (7...8).map { Signal.noise(frames + 500, seed: $0, amplitude: 0.9) }

    /// A song and two microphones, each with an effect that changes its input in place, to a mixer,
    /// a guard, a limiter that has to do, and a guard against feedback.
    private struct Mix {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 2, directOutputs: 1)
        let song = SongSource(sampleRate: 48_000)
        let gain = GainNode()
        let compressor = CompressorNode()
        let equalizer = EqualizerNode()
        let reverb = ReverbNode()
        let meter = MeterNode()
        let mixer = MixerNode(inputs: 3)
        let sanitizer = GuardNode()
        let limiter = LimiterNode()
        let feedbackGuard = FeedbackGuardNode(others: 2)
        let renderer: OfflineRenderer

        init() throws {
            gain.gain = Volume(gain: 0.5)
            try equalizer.use(preset: "rock")
            let all: [AudioNode] = [
                io, song, gain, compressor, equalizer, reverb, meter, mixer, sanitizer, limiter,
                feedbackGuard,
            ]
            for node in all { try graph.add(node) }
            try graph.connect(song, to: meter)
            try graph.connect(meter, to: equalizer)
            try graph.connect(equalizer, to: mixer, bus: 0)
            try graph.connect(io, bus: 1, to: gain, channels: [0])
            try graph.connect(gain, to: compressor)
            try graph.connect(compressor, to: mixer, bus: 1)
            try graph.connect(io, bus: 1, to: reverb, channels: [1])
            try graph.connect(reverb, to: mixer, bus: 2)
            try graph.connect(mixer, to: sanitizer)
            try graph.connect(sanitizer, to: limiter)
            try graph.connect(limiter, to: io)
            try graph.connect(
                mixer, bus: MixerNode.directBus(of: 1), to: io, bus: 1)
            try feedbackGuard.watch(microphone: 1, of: mixer, limiter: limiter)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph)
            renderer.patience = 0
            interleaved(RecorderSilenceTests.song[0], RecorderSilenceTests.song[1])
                .withUnsafeBufferPointer {
                    song.feed.push($0.baseAddress!, count: $0.count / 2, at: 0)
                }
            song.feed.release()
            let (mixer, equalizer, compressor) = (mixer, equalizer, compressor)
            renderer.schedule(at: 1000) { mixer.inputs[0].volume = Volume(gain: 0.4) }
            renderer.schedule(at: 2500) { equalizer.isBypassed = true }
            renderer.schedule(at: 3000) { mixer.inputs[2].pan = .left }
            renderer.schedule(at: 4100) { compressor.isBypassed = true }
            renderer.schedule(at: 6000) { equalizer.isBypassed = false }
        }

        /// What a recorder may hear, and what that is where it is known; the output is `out`.
        func taps(
            _ out: [[Float]]
        ) -> [(node: AudioNode, bus: Int, channels: [Int]?, wanted: [[Float]]?)] {
            let (mic, song) = (RecorderSilenceTests.mic, RecorderSilenceTests.song)
            return [
                (io, 1, nil, mic), (io, 1, [1], [mic[1], mic[1]]), (io, 1, [1, 0], mic.reversed()),
                (self.song, 0, nil, song), (meter, 0, nil, song),
                (gain, 0, nil, [mic[0].map { $0 * 0.5 }, mic[0].map { $0 * 0.5 }]),
                (compressor, 0, nil, nil), (equalizer, 0, nil, nil), (reverb, 0, nil, nil),
                (mixer, 0, nil, nil), (mixer, MixerNode.directBus(of: 0), nil, nil),
                (mixer, MixerNode.directBus(of: 1), nil, Array(out[2...])),
                (sanitizer, 0, nil, nil), (limiter, 0, nil, Array(out[..<2])),
            ]
        }

        /// Renders all frames in cycles that `random` chooses; `edit` is called before each.
        func render(
            _ random: inout SeededRandom, edit: (inout SeededRandom) throws -> Void = { _ in }
        ) throws -> [[Float]] {
            var out = [[Float]](repeating: [], count: 4)
            while out[0].count < RecorderSilenceTests.frames {
                let done = out[0].count
                renderer.period = Int.random(in: 1...200, using: &random)
                let n = min(renderer.period, RecorderSilenceTests.frames - done)
                try edit(&random)
                graph.collect()
                let part = renderer.render(
                    frames: n, inputs: RecorderSilenceTests.mic.map { Array($0[done..<done + n]) })
                for channel in 0..<4 { out[channel] += part[channel] }
            }
            return out
        }
    }

    @Test(arguments: 1...6) func noBitOfTheOutputChanges(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let without = try Mix()
        let expected = try without.render(&random)
        #expect(without.limiter.gainReduction.value < 0)

        let mix = try Mix()
        let taps = mix.taps(expected)
        var recorders: [(node: RecorderNode, taps: [Int?])] = []
        var checked = 0
        /// What was recorded first that was not heard there.
        var wrong: String?
        func check(_ recorder: (node: RecorderNode, taps: [Int?])) {
            while let piece = recorder.node.tape.read() {
                let range = piece.frame..<piece.frame + piece.frameCount
                for (bus, tap) in recorder.taps.enumerated() {
                    guard let tap, let wanted = taps[tap].wanted, wrong == nil else { continue }
                    checked += 1
                    wrong = firstDifference(piece.buses[bus], wanted.map { Array($0[range]) })
                        .map { "tap \(tap), frames \(range): \($0)" }
                }
            }
        }
        func connect(_ index: Int, bus: Int, _ random: inout SeededRandom) throws {
            let tap = Int.random(in: taps.indices, using: &random)
            let (node, output, channels, _) = taps[tap]
            try mix.graph.connect(
                node, bus: output, to: recorders[index].node, bus: bus, channels: channels)
            recorders[index].taps[bus] = tap
        }
        var again = SeededRandom(seed: seed &+ 100)
        var cycles = SeededRandom(seed: seed)
        let out = try mix.render(&cycles) { _ in
            // What was rendered since the last edit was heard with the connections of then.
            for recorder in recorders { check(recorder) }
            switch Int.random(in: 0..<8, using: &again) {
            case 0, 1:
                let buses = Int.random(in: 1...5, using: &again)
                let node = RecorderNode(
                    channelCounts: Array(repeating: 2, count: buses),
                    seconds: 0.1)
                try mix.graph.add(node)
                recorders.append((node, Array(repeating: nil, count: buses)))
                for bus in 0..<buses { try connect(recorders.count - 1, bus: bus, &again) }
            case 2 where !recorders.isEmpty:
                let index = Int.random(in: recorders.indices, using: &again)
                try mix.graph.remove(recorders[index].node)
                recorders.remove(at: index)
            case 3 where !recorders.isEmpty:
                let index = Int.random(in: recorders.indices, using: &again)
                mix.graph.disconnect(recorders[index].node, bus: 0)
                recorders[index].taps[0] = nil
                if Bool.random(using: &again) { try connect(index, bus: 0, &again) }
            default: break
            }
        }
        for channel in expected.indices {
            let same = zip(out[channel], expected[channel]).allSatisfy {
                $0.bitPattern == $1.bitPattern
            }
            #expect(same, "seed \(seed), channel \(channel)")
        }
        #expect(wrong == nil && checked > 50, "seed \(seed)")
    }
}
