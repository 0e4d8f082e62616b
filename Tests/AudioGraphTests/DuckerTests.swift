@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The ducker: that the song makes room for the voice in time, comes back, and is untouched without.
@Suite struct DuckerTests {
    private static let ones: RenderCallback = { _, _, _, _, _, count, _, buffers in
        for n in 0..<Int(count) { buffers![0]![n] = 1 }
        return 0
    }

    /// A song of ones on the left, a microphone on the right, and what makes room for it.
    private struct Stage {
        let graph: Graph
        let mixer: MixerNode
        let ducker: DuckerNode
        let renderer: OfflineRenderer

        init(rate: Int = 48_000, period: Int = 64) throws {
            graph = Graph(sampleRate: rate)
            let io = HardwareIO(inputChannels: 1)
            let song = CallbackSource(channelCount: 1, DuckerTests.ones)
            mixer = MixerNode(inputs: 2)
            ducker = DuckerNode()
            for node in [io, song, mixer, ducker] as [AudioNode] { try graph.add(node) }
            try graph.connect(song, to: mixer, bus: 0)
            try graph.connect(io, to: mixer, bus: 1)
            try graph.connect(mixer, to: io)
            (mixer.inputs[0].pan, mixer.inputs[1].pan) = (.left, .right)
            try ducker.duck(0, by: 1, of: mixer)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph, period: period)
        }

        /// The song beside that voice.
        func song(beside voice: [Float]) -> [Float] {
            renderer.render(frames: voice.count, inputs: [voice])[0]
        }
    }

    /// A ramp of the depth is followed while the voice sounds.
    @Test func rampsAreFollowed() throws {
        let stage = try Stage()
        (stage.ducker.attack, stage.ducker.depth) = (0.01, Decibels(0))
        _ = stage.song(beside: Signal.sine(9600, frequency: 200, amplitude: 0.1))
        try stage.ducker.schedule(
            .depth, to: -40, at: stage.graph.renderedFrames, ramp: 48_000)
        let song = stage.song(beside: Signal.sine(57_600, frequency: 200, amplitude: 0.1))
        let gains = song.map(decibels)
        #expect(gains[4800] > -12 && gains[24_000] < -8 && gains[24_000] > -32)
        #expect(abs(gains[57_599] + 40) < 0.5)
        #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($1 - $0) < 0.1 })
    }

    private func decibels(_ gain: Float) -> Double { 20 * log10(Double(gain)) }

    /// From the voice's first sample on, with the way back into the mixer.
    @Test(arguments: [8000, 44_100, 48_000, 192_000])
    func theDepthIsReachedWithinTheAttack(rate: Int) throws {
        for (attack, depth) in [(0.04, -9.0), (0.1, -40), (0.5, -6)] {
            let stage = try Stage(rate: rate)
            (stage.ducker.attack, stage.ducker.depth) = (attack, Decibels(depth))
            let before = rate / 10 + 7
            let silence = [Float](repeating: 0, count: before)
            let voice = Signal.sine(
                rate * 3 / 5, frequency: 200, amplitude: 0.1, rate: Double(rate), from: 1)
            let song = stage.song(beside: silence + voice)
            #expect(song[..<(before + 256)].allSatisfy { $0 == 1 })
            #expect(zip(song[before...], song[(before + 1)...]).allSatisfy { $0 >= $1 })
            // The voice's first samples are below the threshold of 0.01: 200 Hz pass it in 0.1 ms.
            let reached = before + Int(attack * Double(rate)) + rate / 10_000 + 1
            #expect(song[reached...].allSatisfy { abs(decibels($0) - depth) < 0.001 })
            // Half of the decibels in half of the time.
            let ramp = Int(attack * Double(rate)) - 256
            #expect(abs(decibels(song[before + 256 + ramp / 2]) - depth / 2) < 0.02 * -depth)
            #expect(
                stage.ducker.gainReduction.value == (try stage.ducker.value(of: .gainReduction)))
            #expect(abs(stage.ducker.gainReduction.value - depth) < 0.001)
        }
    }

    /// It stays down as long as `hold` says, and is back after `release`.
    @Test func theSongComesBack() throws {
        let stage = try Stage()
        (stage.ducker.hold, stage.ducker.release) = (0.2, 0.5)
        let voice = [Float](repeating: 0.1, count: 24_000)
        let song = stage.song(beside: voice + [Float](repeating: 0, count: 48_000))
        let closes = 23_999 + 9600 + 256
        let low = song[20_000]
        #expect(abs(decibels(low) + 9) < 0.001)
        #expect(song[20_000..<closes].allSatisfy { $0 == low } && song[closes + 1] > low)
        let way = song[closes...]
        #expect(zip(way, way.dropFirst()).allSatisfy { $0 <= $1 })
        let back = closes + 24_000 - 256
        #expect(song[back - 10] < 1 && song[back...].allSatisfy { $0 == 1 })
        #expect(stage.ducker.gainReduction.value == 0)
    }

    /// Pauses between words do not bring the song back.
    @Test func holdBridgesWords() throws {
        let stage = try Stage()
        let word = Signal.sine(9600, frequency: 150, amplitude: 0.1)
        let pause = [Float](repeating: 0, count: 20_000)
        let song = stage.song(beside: word + pause + word + pause + word)
        #expect(song[9600...].allSatisfy { abs(decibels($0) + 9) < 0.001 })
    }

    /// A voice below the threshold, a muted one, and one that is bypassed, leave the song to the bit.
    @Test func otherwiseTheSongIsUntouched() throws {
        func isUntouched(_ edit: (Stage) -> Void) throws -> Bool {
            let stage = try Stage()
            edit(stage)
            let voice = Signal.sine(48_000, frequency: 150, amplitude: 0.1)
            return stage.song(beside: voice).allSatisfy { $0 == 1 }
        }
        #expect(try !isUntouched { _ in })
        #expect(try isUntouched { $0.ducker.threshold = Decibels(-19) })
        #expect(try isUntouched { $0.ducker.depth = Decibels(0) })
        #expect(try isUntouched { $0.ducker.isBypassed = true })
        #expect(try isUntouched { $0.mixer.inputs[1].isMuted = true })
        #expect(try isUntouched { $0.mixer.inputs[1].volume = Volume(gain: 0.05) })
    }

    /// The threshold, the depth and the bypass, changed beside the voice.
    @Test func changesDoNotClick() throws {
        let stage = try Stage()
        let voice = Signal.sine(1000, frequency: 480, amplitude: 0.1)
        var song: [Float] = []
        for depth in [-20.0, 0, -40, -3, -30] {
            stage.ducker.depth = Decibels(depth)
            song += stage.song(beside: voice + voice)
        }
        for isBypassed in [true, false, true] {
            stage.ducker.isBypassed = isBypassed
            song += stage.song(beside: voice)
        }
        #expect(song.min()! < 0.2)
        // 30 dB in 10 ms, exponentially: at its loudest 0.0072 a frame.
        #expect(Samples.largestStep(song) < 0.01)
    }

    @Test(arguments: [Float.nan, .infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let stage = try Stage()
        _ = stage.song(beside: [Float](repeating: bad, count: 100))
        let song = stage.song(beside: [Float](repeating: 0, count: 48_000))
        #expect(song.allSatisfy { $0.isFinite } && song.last! == 1)
        _ = stage.song(beside: [Float](repeating: 0.1, count: 24_000))
        #expect(abs(stage.ducker.gainReduction.value + 9) < 0.001)
    }

    /// Where one connection cannot be made, the other is not either.
    @Test func aTakenBusIsRefused() throws {
        let stage = try Stage()
        let second = DuckerNode(name: "second")
        #expect(throws: GraphError.notInGraph(node: "second")) {
            try second.duck(0, by: 1, of: stage.mixer)
        }
        try stage.graph.add(second)
        #expect(throws: GraphError.self) { try second.duck(0, by: 1, of: stage.mixer) }
        try second.duck(1, by: 0, of: stage.mixer)
    }

    @Test func valuesAreBounded() {
        let node = DuckerNode()
        (node.threshold, node.depth) = (Decibels(6), Decibels(3))
        (node.attack, node.hold, node.release) = (0, 9, 9)
        #expect(node.threshold.value == 0 && node.depth.value == 0)
        #expect(node.attack == 0.04 && node.hold == 5 && node.release == 5)
        (node.threshold, node.depth) = (Decibels(.nan), Decibels(.nan))
        (node.attack, node.hold, node.release) = (.nan, .nan, .nan)
        #expect(node.threshold.value == -40 && node.depth.value == -9)
        #expect(node.attack == 0.1 && node.hold == 0.5 && node.release == 1)
    }
}
