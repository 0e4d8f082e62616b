import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// How loud the microphone's presets are to ears (ITU-R BS.1770), beside the voice without effects.
@Suite struct PresetLoudnessTests {
    /// Voices of −20 dBFS (RMS): syllables, the vowels a, e, i, o, u on one tone each, and noise with
    /// the spectrum of speech, in syllables.
    private static let voices: [(name: String, samples: [Float])] = {
        let vowels = zip(Vowel.formants, [131.0, 147, 165, 196, 220]).flatMap { formants, pitch in
            level(Vowel(pitch: pitch, formants: formants).samples(48_000))
        }
        // Speech falls by some 9 dB per octave above 500 Hz, and has little below 100 Hz.
        var (low, high) = (Float(0), Float(0))
        let noise = PinkNoise.samples(5 * 48_000, seed: 23).enumerated().map { n, sample in
            low += (sample - low) * Float(1 - exp(-2 * Double.pi * 500 / 48_000))
            high += (low - high) * Float(1 - exp(-2 * Double.pi * 100 / 48_000))
            let syllable = 1.6 * sin(2 * Double.pi * Double(n) / 48_000)
            return (low - high) * Float(min(1, max(0, abs(syllable))))
        }
        return [
            ("syllables", SungVoice.samples(seconds: 5)), ("vowels", vowels),
            ("noise", level(noise)),
        ]
    }()

    private static func level(_ samples: [Float]) -> [Float] {
        let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        return samples.map { $0 * Float(0.1 / power.squareRoot()) }
    }

    /// Both sides of what is heard of `voice`, without the first second, in which reverbs begin.
    private func hear(_ preset: String, _ voice: [Float]) throws -> [[Float]] {
        var plan = MixPlan(second: .mic(channelCount: 1))
        try plan.set([Assignment("/mic/preset", preset)])
        let mix = try MixGraph(plan, sampleRate: 48_000)
        try mix.start()
        let renderer = try OfflineRenderer(mix.graph, period: 256)
        renderer.patience = 0
        return renderer.render(frames: voice.count, inputs: [voice]).map { Array($0[48_000...]) }
    }

    @Test(.optimizedBuild, arguments: MicPreset.all.map(\.name))
    func isAsLoudAsTheVoice(preset: String) throws {
        for (name, voice) in Self.voices {
            let difference =
                try Loudness.lufs(hear(preset, voice)) - Loudness.lufs(hear("dry", voice))
            print("\(preset), \(name): \(fixed(difference, digits: 1)) LU")
            #expect(abs(difference) < 2, "\(preset), \(name): \(difference) LU")
        }
    }
}
