import AudioGraph
import TestSupport
import Testing

@testable import DuetApp

/// Units that are in the graph only while they were asked for.
@Suite struct SourceChainTests {
    private func plan(_ assignments: String...) throws -> MixPlan {
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        try plan.set(assignments.map { try Assignment($0) })
        return plan
    }

    private func graph(_ plan: MixPlan, rate: Int = 48_000) throws -> MixGraph {
        let mix = try MixGraph(plan, sampleRate: rate)
        _ = try mix.addSong(bus: 0)
        mix.waitForFiles(milliseconds: 30_000)
        return mix
    }

    private func set(_ mix: MixGraph, _ assignment: String) throws {
        let assignment = try Assignment(assignment)
        let parameter = try #require(Vocabulary.all.parameter(assignment.address))
        try mix.set([(parameter, assignment.value)])
    }

    private func micLatency(_ mix: MixGraph) -> ClosedRange<Int>? {
        mix.graph.latency(from: mix.io, to: mix.io)
    }

    @Test func whatWasTurnedOffAgainLeavesNothing() throws {
        let mix = try graph(plan())
        let plain = mix.graph.description
        #expect(!plain.contains("panner") && !plain.contains("voice processor"))
        #expect(micLatency(mix) == 0...0)
        for on in [
            "/song/azimuth=30", "/mic/azimuth=-90", "/mic/voice-processing=on",
            "/mic/elevation=20", "/mic/voice-processing/noise-reduction=10",
        ] { try set(mix, on) }
        mix.waitForFiles(milliseconds: 30_000)
        let full = mix.graph.description
        #expect(full.contains("song panner") && full.contains("mic panner"))
        #expect(full.contains("bus 0 <- voice processor bus 0"))
        #expect(full.contains("bus 1 <- reference bus 1"))
        #expect(full.contains("bus 0 <- song panner bus 0"))
        #expect((micLatency(mix)?.lowerBound ?? 0) > 768)
        for off in ["/mic/voice-processing=off", "/song/azimuth=off", "/mic/azimuth=off"] {
            try set(mix, off)
        }
        #expect(mix.graph.description.split(separator: "\n") == plain.split(separator: "\n"))
        #expect(micLatency(mix) == 0...0)
        #expect(mix.takeFaults().isEmpty)
    }

    /// The echo of a song that is turned down is softer, too: the reference gets the same gain.
    @Test func theReferenceIsTurnedDownAsTheSongIs() throws {
        let mix = try graph(plan())
        let plain = mix.graph.description
        func has(_ text: String) -> Bool { mix.graph.description.contains(text) }
        let gain = "bus \(MixerNode.gainBus(of: 0)) <- ducker bus 0"
        func count() -> Int {
            mix.graph.description.split(separator: "\n").count { $0.contains(gain) }
        }
        try set(mix, "/song/duck=-12")
        #expect(count() == 1 && has("ducker"))
        try set(mix, "/mic/voice-processing=on")
        #expect(count() == 2)
        try set(mix, "/song/duck=0")
        #expect(count() == 0 && !has("ducker"))
        try set(mix, "/song/duck=-6")
        #expect(count() == 2)
        try set(mix, "/mic/voice-processing=off")
        #expect(count() == 1)
        try set(mix, "/song/duck=0")
        #expect(mix.graph.description.split(separator: "\n") == plain.split(separator: "\n"))
    }

    @Test func thePlaceIsHeard() throws {
        func energies(_ azimuth: String) throws -> [Float] {
            let mix = try graph(plan("/mic/azimuth=\(azimuth)", "/mic/distance=0.5"))
            try mix.start()
            let renderer = try OfflineRenderer(mix.graph, period: 64)
            renderer.patience = 0
            let noise = Noise(seed: 31).prefix(9600)
            let out = renderer.render(frames: 9600, inputs: [noise])
            return out.map { $0.reduce(0) { $0 + $1 * $1 } }
        }
        let (left, right, plain) = (try energies("-90"), try energies("90"), try energies("off"))
        #expect(left[0] > 3 * left[1] && right[1] > 3 * right[0] && plain[0] == plain[1])
    }

    /// A place that is set while the mix runs, and nothing else after it.
    @Test func aPlaceIsHeardFromThenOn() throws {
        let mix = try graph(plan())
        try mix.start()
        try set(mix, "/mic/azimuth=90")
        mix.waitForFiles(milliseconds: 30_000)
        #expect((micLatency(mix)?.lowerBound ?? 0) > 0)
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        let out = renderer.render(frames: 9600, inputs: [Noise(seed: 32).prefix(9600)])
        let (left, right) = (out[0], out[1])
        func energy(_ side: [Float]) -> Float { side[4800...].reduce(0) { $0 + $1 * $1 } }
        #expect(energy(right) > 3 * energy(left))
    }

    /// The driver's period and round trip reach the processor, and a longer period gets a new one.
    @Test func theProcessorFollowsTheDriver() throws {
        let mix = try graph(plan("/mic/voice-processing=on"))
        #expect(micLatency(mix) == 768...768)
        try mix.setDriver(period: 64, roundTrip: 0.02)
        #expect(micLatency(mix) == 768...768)
        try mix.setDriver(period: 1024, roundTrip: 0.02)
        #expect(micLatency(mix) == 1536...1536)
        try mix.setDriver(period: 128, roundTrip: 0.02)
        #expect(micLatency(mix) == 768...768)
        let processor = try #require(
            mix.graph.nodes.lazy.compactMap { $0 as? VoiceProcessorNode }.first)
        #expect(processor.referenceDelay == 0.02)
    }

    /// The reference is the song as it is mixed, and has no microphone in it.
    @Test func theReferenceIsTheSongAlone() throws {
        let mix = try graph(
            plan("/mic/voice-processing=on", "/song/volume=0.5", "/song/pan=left"))
        try set(mix, "/song/volume=0.25")
        let reference = try #require(mix.graph.nodes.first { $0.name == "reference" } as? MixerNode)
        #expect(reference.inputs[0].volume.gain == 0.25 && reference.inputs[0].pan == .left)
        #expect(mix.graph.latency(from: mix.io, to: reference, bus: 0) == nil)
        #expect(mix.graph.latency(from: mix.io, to: reference, bus: 1) == nil)
    }

    @Test func aRateThatTheProcessorDoesNotTakeIsAWarning() throws {
        let mix = try graph(plan("/mic/voice-processing=on"), rate: 96_000)
        let faults = mix.takeFaults()
        #expect(faults.count == 1 && faults[0].contains("48000 Hz"))
        #expect(mix.takeFaults().isEmpty && micLatency(mix) == 0...0)
        #expect(!mix.graph.description.contains("reference"))
    }
}
