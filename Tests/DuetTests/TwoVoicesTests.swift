import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Several microphones in the program's graph: each is heard as it would be alone.
@Suite struct TwoVoicesTests {
    private static let rate = 48_000

    /// A graph that renders, with these values.
    private func mix(
        _ second: MixPlan.Second, _ assignments: [String] = [], isGuarded: Bool = false
    ) throws -> MixGraph {
        var plan = MixPlan(second: second)
        plan.guardsFeedback = isGuarded
        try plan.set(assignments.map { try Assignment($0) })
        let mix = try MixGraph(plan, sampleRate: Self.rate)
        try mix.start()
        return mix
    }

    /// Both sides of the output, where the microphones hear `voices` and there is no song.
    private func hear(
        _ mix: MixGraph, _ voices: [[Float]], period: Int = 64
    ) throws -> [[Float]] {
        let renderer = try OfflineRenderer(mix.graph, period: period)
        renderer.patience = 0
        return renderer.render(frames: voices[0].count, inputs: voices)
    }

    /// From the first frame on, by the formula of constant power (design.md), bit for bit.
    @Test(arguments: [1, 37, 64, 256, 4096]) func eachVoiceHasAVolumeAndAPlace(period: Int) throws {
        let mix = try mix(
            .mics(2),
            ["/mic/volume=0.5", "/mic/pan=-0.4", "/mic2/volume=0.75", "/mic2/pan=0.9"])
        #expect(mix.graph.latency(from: mix.io, to: mix.io) == 0...0)
        let voices = [7, 8].map { seed in Noise(seed: seed).prefix(5000) }
        let heard = try hear(mix, voices, period: period)
        let turns = [-0.4, 0.9].map { ($0 + 1) / 2 * Double.pi / 2 }
        for side in 0..<2 {
            let gains = zip([0.5, 0.75], turns).map { Float($0 * (side == 0 ? cos($1) : sin($1))) }
            let expected = zip(voices[0], voices[1]).map { $0 * gains[0] + $1 * gains[1] }
            #expect(firstDifference(heard[side], expected) == nil)
        }
    }

    /// The same of four.
    @Test(arguments: [37, 256]) func eachOfFourVoicesHasAVolumeAndAPlace(period: Int) throws {
        let (volumes, pans) = ([0.5, 0.75, 0.25, 0.125], [-0.4, 0.9, -1, 0.2])
        let mix = try mix(
            .mics(4),
            zip(["mic", "mic2", "mic3", "mic4"], zip(volumes, pans)).flatMap { name, values in
                ["/\(name)/volume=\(values.0)", "/\(name)/pan=\(values.1)"]
            })
        #expect(mix.graph.latency(from: mix.io, to: mix.io) == 0...0)
        let voices = (7...10).map { seed in Noise(seed: UInt64(seed)).prefix(3000).map { $0 / 4 } }
        let heard = try hear(mix, voices, period: period)
        let turns = pans.map { ($0 + 1) / 2 * Double.pi / 2 }
        for side in 0..<2 {
            let gains = zip(volumes, turns).map { Float($0 * (side == 0 ? cos($1) : sin($1))) }
            let expected = voices[0].indices.map { frame in
                zip(voices, gains).reduce(0) { $0 + $1.0[frame] * $1.1 }
            }
            #expect(firstDifference(heard[side], expected) == nil)
        }
    }

    /// Through all its effects, a voice on the fourth one, too, sounds as on the first.
    @Test func theLastVoiceHasAllEffects() throws {
        let voice = SungVoice.samples(seconds: 0.25)
        let silence = [Float](repeating: 0, count: voice.count)
        let found = try hear(
            mix(.mics(4), ["/mic4/preset=stage", "/mic4/pan=0.3"]),
            [silence, silence, silence, voice])
        let wanted = try hear(
            mix(.mic(channelCount: 1), ["/mic/preset=stage", "/mic/pan=0.3"]), [voice])
        #expect(found[0].contains { $0 != 0 } && found == wanted)
    }

    /// Through all its effects, a voice on the second microphone sounds as on the first one, and
    /// changes nothing of that.
    @Test(arguments: MicPreset.all.map(\.name)) func eachVoiceHasEffectsOfItsOwn(
        preset: String
    ) throws {
        let voice = SungVoice.samples(seconds: 0.25)
        let silence = [Float](repeating: 0, count: voice.count)
        let alone = MixPlan.Second.mic(channelCount: 1)
        let second = ["/mic2/preset=\(preset)", "/mic2/pan=0.3"]
        let found = try hear(mix(.mics(2), second), [silence, voice])
        let wanted = try hear(mix(alone, ["/mic/preset=\(preset)", "/mic/pan=0.3"]), [voice])
        #expect(found[0].contains { $0 != 0 } && found == wanted)
        let dry = try hear(mix(alone), [voice])
        #expect(try hear(mix(.mics(2), second), [voice, silence]) == dry)
    }

    @Test func eachVoiceHasAPlaceAroundTheHead() throws {
        let voice = SungVoice.samples(seconds: 0.2)
        let silence = [Float](repeating: 0, count: voice.count)
        let two = try mix(.mics(2), ["/mic2/azimuth=70"])
        let one = try mix(.mic(channelCount: 1), ["/mic/azimuth=70"])
        for mix in [two, one] { mix.waitForFiles(milliseconds: 10_000) }
        #expect(try hear(two, [silence, voice]) == hear(one, [voice]))
        #expect(two.takeFaults() == [])
    }

    /// Microphones that howl alike are both turned down, each until it is brought back.
    @Test func bothMayHowl() throws {
        let howl = (0..<3 * Self.rate).map {
            Float(3 * sin(2 * Double.pi * 700 * Double($0) / Double(Self.rate)))
        }
        let silence = [Float](repeating: 0, count: howl.count)
        for (voices, held) in [
            ([howl, howl], Set([1, 2])), ([howl, silence], [1]), ([silence, howl], [2]),
        ] {
            let mix = try mix(.mics(2), isGuarded: true)
            let out = try hear(mix, voices)[0]
            #expect(mix.heldMicrophones == held)
            #expect(out[40_000..<48_000].map(abs).max()! > 0.96)
            // Each is turned down to a tenth.
            let left = Float(held.count) * 0.3 * Float(0.5.squareRoot())
            #expect(abs(out[(2 * Self.rate)...].map(abs).max()! - left) < 0.001)
            mix.releaseMicrophone(bus: 2)
            #expect(mix.heldMicrophones == held.subtracting([2]))
            mix.releaseMicrophone(bus: 1)
            #expect(mix.heldMicrophones == [])
        }
        let bypassed = try mix(.mics(2), ["/mic2/feedback-guard/bypass=on"], isGuarded: true)
        _ = try hear(bypassed, [howl, howl])
        #expect(bypassed.heldMicrophones == [1])
        let four = try mix(.mics(4), isGuarded: true)
        _ = try hear(four, [silence, silence, howl, howl])
        #expect(four.heldMicrophones == [3, 4])
        four.releaseMicrophone(bus: 4)
        #expect(four.heldMicrophones == [3])
        // As in the graph whose place a new one takes.
        let next = try mix(.mics(2), isGuarded: true)
        next.holdMicrophone(bus: 2)
        #expect(next.heldMicrophones == [2])
    }

    /// A microphone that clips at 0 dBFS howls as a square wave. The limiter takes more than 6 dB away
    /// only where its volume is above 0 dB: by more than 5.7 dB on one side, 8.7 dB in the centre.
    @Test(arguments: [
        ("0dB", "centre", false), ("0dB", "left", false), ("5dB", "left", false),
        ("6dB", "left", true), ("8dB", "centre", false), ("9dB", "centre", true),
    ]) func aClippingMicrophone(volume: String, pan: String, isHeld: Bool) throws {
        let howl = (0..<2 * Self.rate).map { Float($0 / 34 % 2 == 0 ? 1 : -1) }
        let values = ["/mic/volume=\(volume)", "/mic/pan=\(pan)"]
        let mix = try mix(.mic(channelCount: 1), values, isGuarded: true)
        _ = try hear(mix, [howl])
        #expect(mix.heldMicrophones == (isHeld ? [1] : []))
    }

    /// Each has outputs of its own, and the first can still be processed.
    @Test func theGraphNamesThem() throws {
        var plan = MixPlan(second: .mics(2))
        plan.hasDirectOutputs = true
        try plan.set([try Assignment("/mic/voice-processing=on")])
        let text = try MixGraph(plan, sampleRate: Self.rate).graph.description
        for part in [
            "voice processor (latency", "bus 0 <- hardware bus 1, channel 0, 48000 Hz mono",
            "bus 1 <- voice processor bus 0, 48000 Hz mono",
            "bus 2 <- hardware bus 1, channel 1, 48000 Hz mono", "mic_2 guard",
            "bus 3 <- mic_2 guard",
        ] {
            #expect(text.contains(part), "\(part)\n\(text)")
        }
        let one = try mix(.mic(channelCount: 1), isGuarded: true).graph.description
        #expect(!one.contains("second") && !one.contains("bus 2 <- hardware"))
    }
}
