@testable import AudioGraph
import Glibc
import TestSupport
import Testing

@Suite struct DSPTests {
    /// Renders `mic` through the default graph with the law `balance`, so both sides are equal.
    private func render(_ mic: [Float], ceiling: Double? = nil) throws -> (MixGraph, [Float]) {
        let mix = try MixGraph()
        mix.mixer.panLaw = .balance
        if let ceiling { mix.limiter.ceiling = Decibels(ceiling) }
        let renderer = try OfflineRenderer(mix.graph, period: 200)
        renderer.patience = 0
        _ = renderer.render(frames: 1000)
        let out = renderer.render(frames: mic.count, inputs: [mic])
        #expect(firstDifference([out[0]], [out[1]]) == nil)
        return (mix, out[0])
    }

    @Test(arguments: [-0.3, -6, 0, -60]) func limiterFollowsItsFormula(decibels: Double) throws {
        let exact = pow(10, decibels / 20)
        var ceiling = Float(exact)
        if Double(ceiling) > exact { ceiling = ceiling.nextDown }
        let mic = Signal.noise(20_000, seed: 5, amplitude: 2.5)
        var expected: [Float] = []
        var g: Float = 1
        for x in mic {
            let t = abs(x) > ceiling ? ceiling / abs(x) : 1
            g = min(t, g + Float(1 / (0.2 * 48_000.0)))
            expected.append(g < 1 ? min(max(x * g, -ceiling), ceiling) : x)
        }
        let (_, out) = try render(mic, ceiling: decibels)
        #expect(firstDifference([out], [expected]) == nil)
        #expect(out.allSatisfy { abs($0) <= ceiling && Double(abs($0)) <= exact })
    }

    @Test func limiterReachesUnityAgainAndPassesBits() throws {
        var mic = Signal.noise(40_000, seed: 6, amplitude: 0.5)
        mic[0] = 3
        let (mix, out) = try render(mic)
        #expect(firstDifference([Array(out[9700...])], [Array(mic[9700...])]) == nil)
        #expect(mix.limiter.gainReduction.value == 0)
    }

    @Test func nothingHarmfulLeaves() throws {
        let bad: [Float] = [
            .nan, .infinity, -.infinity, 3e38, -3e38, .signalingNaN, Float(bitPattern: 1),
            .greatestFiniteMagnitude, 1e7, -1e7,
        ]
        let mic = (0..<4000).map { bad[$0 % bad.count] }
        for isLimited in [true, false] {
            let mix = try MixGraph(limiter: isLimited)
            for input in mix.mixer.inputs { input.volume = .maximum }
            mix.mixer.outputVolume = .maximum
            mix.feed(mic, mic)
            mix.song.feed.finish()
            mix.song.feed.release()
            let renderer = try OfflineRenderer(mix.graph)
            let out = renderer.render(frames: mic.count, inputs: [mic])
            let limit: Float = isLimited ? 0.966_051 : 1_048_576
            for channel in out {
                #expect(channel.allSatisfy { abs($0) <= limit })
                #expect(channel.contains(limit) == !isLimited)
            }
            // Once the input is harmless again, so is the output: no state keeps bad samples.
            let after = Signal.noise(60_000, seed: 9, amplitude: 0.01)
            let clean = renderer.render(frames: 60_000, inputs: [after])
            #expect(clean[0][50_000...].allSatisfy { $0.isFinite && abs($0) <= 0.2 })
            #expect(clean[0][50_000...].contains { $0 != 0 })
            #expect(mix.mixer.inputs[1].levels.rms.left.value.isFinite)
        }
    }

    @Test func denormalsBecomeZeroAndTheControlWordIsRestored() throws {
        let mic = [Float](repeating: Float(bitPattern: 71_362), count: 1000)
        let (_, out) = try render(mic)
        #expect(out.allSatisfy { $0.bitPattern & 0x7fff_ffff == 0 })
        // Outside the render call this thread computes with denormals again.
        let small = Float.leastNormalMagnitude
        #expect(small / Float(2 + out.count - 1000) != 0)
    }

    @Test func metersReadAsTheyShould() throws {
        let mix = try MixGraph()
        mix.mixer.panLaw = .balance
        mix.limiter.ceiling = Decibels(0)
        let renderer = try OfflineRenderer(mix.graph, period: 333)
        renderer.patience = 0
        _ = renderer.render(frames: 1000)
        let levels = { mix.mixer.inputs[1].levels }
        #expect(levels().peak.left == .floor && levels().rms.left == .floor)
        let sine = Signal.sine(144_000, frequency: 1000, amplitude: 1)
        _ = renderer.render(frames: sine.count, inputs: [sine])
        #expect(abs(levels().rms.left.value + 3.01) < 0.02)
        #expect(abs(levels().peak.right.value) < 0.001)
        #expect(abs(mix.io.levels.rms.right.value + 3.01) < 0.02)
        // The peak is held for half a second, then falls by 10.5 dB a second.
        _ = renderer.render(frames: 23_900)
        #expect(abs(levels().peak.left.value) < 0.001)
        _ = renderer.render(frames: 48_100)
        #expect(abs(levels().peak.left.value + 10.5) < 0.05)
        // τ = 0.3 s: 1.5 s of silence are 5 τ of the mean square.
        #expect(abs(levels().rms.left.value + 3.01 + 10 * log10(exp(5.0))) < 0.05)
        _ = renderer.render(frames: 48_000 * 14)
        #expect(levels().peak.left == .floor && levels().rms.left == .floor)
    }

    @Test func metersAreAfterVolumeAndPan() throws {
        let mix = try MixGraph()
        mix.mixer.inputs[1].pan = .left
        mix.mixer.inputs[1].volume = Volume(gain: 0.5)
        let renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        let steady = [Float](repeating: 0.5, count: 9000)
        _ = renderer.render(frames: 1000)
        _ = renderer.render(frames: 9000, inputs: [steady])
        let peak = mix.mixer.inputs[1].levels.peak
        #expect(abs(peak.left.value + 12.04) < 0.01 && peak.right == .floor)
        #expect(abs(mix.io.levels.peak.left.value + 12.04) < 0.01)
    }

    @Test(arguments: [64, 4096]) func feedbackIsTurnedDownAndAnswered(period: Int) throws {
        let mix = try MixGraph()
        mix.mixer.panLaw = .balance
        let renderer = try OfflineRenderer(mix.graph, period: period)
        renderer.patience = 0
        let howl = Signal.sine(48_000 * 3, frequency: 700, amplitude: 3)
        let out = renderer.render(frames: howl.count, inputs: [howl])[0]
        #expect(mix.feedbackGuard.hasTripped)
        let loud = out[40_000..<48_000].map(abs).max()!
        #expect(loud > 0.96)
        // By then a second of howling, the delay of 256 frames and the limiter's release are over.
        let quiet = out[(48_000 * 2)...].map(abs).max()!
        #expect(abs(quiet - 0.3) < 0.001)
        mix.feedbackGuard.answer()
        let back = renderer.render(frames: 48_000, inputs: [Array(howl[..<48_000])])[0]
        #expect(!mix.feedbackGuard.hasTripped)
        #expect(back[40_000...].map(abs).max()! > 0.96)
    }

    @Test func feedbackTripsAtTheSameFrameForEveryPeriod() throws {
        let howl = Signal.sine(48_000 * 2, frequency: 700, amplitude: 3)
        var turns: Set<Int> = []
        func render(period: Int) throws -> [[Float]] {
            let mix = try MixGraph()
            let renderer = try OfflineRenderer(mix.graph, period: period)
            renderer.patience = 0
            let all = renderer.render(frames: howl.count, inputs: [howl])
            #expect(mix.feedbackGuard.turn.isDown)
            turns.insert(mix.feedbackGuard.turn.frame)
            return all
        }
        let whole = try render(period: 4096)
        for period in [37, 128, 1000] {
            #expect(firstDifference(try render(period: period), whole) == nil)
        }
        // After a second, and when the limiter had begun.
        #expect(turns.count == 1 && turns.allSatisfy { (47_999..<49_000).contains($0) })
    }

    /// Of two microphones that howl alike none is louder than all else: they are compared with what
    /// is no microphone.
    @Test func twoMicrophonesMayHowlTogether() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, limiter) = (HardwareIO(inputChannels: 2), LimiterNode())
        let mixer = MixerNode(inputs: 3)
        let guards = [FeedbackGuardNode(), FeedbackGuardNode()]
        for node in [io, mixer, limiter] + guards as [AudioNode] { try graph.add(node) }
        for bus in 1...2 { try graph.connect(io, bus: 1, to: mixer, bus: bus, channels: [bus - 1]) }
        try graph.connect(mixer, to: limiter)
        try graph.connect(limiter, to: io)
        for (bus, found) in zip(1..., guards) {
            #expect(throws: GraphError.noSuchBus(node: found.name, bus: 3)) {
                try found.watch(microphone: bus, of: mixer, limiter: limiter)
            }
            try found.watch(microphone: bus, comparedWith: [0], of: mixer, limiter: limiter)
        }
        try graph.prepare()
        try graph.start()
        let howl = Signal.sine(48_000 * 2, frequency: 700, amplitude: 3)
        let renderer = try OfflineRenderer(graph)
        _ = renderer.render(frames: howl.count, inputs: [howl, howl])
        #expect(guards.map(\.hasTripped) == [true, true])
    }

    @Test func aLoudSongIsNoFeedback() throws {
        let mix = try MixGraph()
        mix.mixer.inputs[0].volume = .maximum
        let renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        let loud = Signal.sine(12_000, amplitude: 0.9)
        let mic = Signal.noise(12_000, seed: 1, amplitude: 0.5)
        for block in 0..<12 {
            let n = mix.song.feed.space
            mix.feed(Array(loud[..<n]), Array(loud[..<n]), at: Int64(block))
            if block == 0 { mix.song.feed.release() }
            _ = renderer.render(frames: 11_000, inputs: [Array(mic[..<11_000])])
        }
        #expect(mix.limiter.gainReduction.value < -6)
        #expect(!mix.feedbackGuard.hasTripped)
    }
}
