@testable import AudioGraph
import TestSupport
import Testing

/// How loud the equalizer's presets are.
@Suite struct EqualizerLoudnessTests {
    /// A preset that makes pink noise louder is turned down to 0.3 LU, one that makes it softer is
    /// not turned up.
    private func checkLoudness(of presets: [String], seconds: Int) throws {
        let pink = PinkNoise.samples(seconds * 48_000, seed: 21)
        let before = Loudness.lufs([pink])
        for name in presets {
            let equalizer = EqualizerNode()
            try equalizer.use(preset: name)
            let out = try UnitStage(equalizer).render(pink, period: 4096)[0]
            let result = Loudness.lufs([out]) - before
            let plain = result - equalizer.gain.value
            #expect(abs(result - min(0, plain)) < 0.3, "\(name): \(plain), \(result)")
        }
    }

    @Test func aPresetIsNotLouder() throws {
        try checkLoudness(of: ["Rock", "Bass Booster", "Treble Reducer"], seconds: 2)
    }

    @Test(.optimizedBuild) func noPresetIsLouder() throws {
        try checkLoudness(of: EqualizerNode.unit.presets.map(\.name), seconds: 10)
    }

    /// A preset's gain is minus what its faders make pink noise louder, never above 0, to half of its
    /// last digit.
    @Test func everyGainIsComputed() throws {
        var attenuated = 0
        for preset in EqualizerNode.unit.presets {
            let faders = (0..<EqualizerNode.bandCount).map {
                preset.values[ParameterAddress(.gain, scope: .band, element: $0)] ?? .nan
            }
            let filters = GraphicDesign.coefficients(
                faders: faders, sampleRate: LoudnessWeighting.sampleRate)
            let gain = min(0, -LoudnessWeighting.change(by: filters))
            let own = try #require(preset.values[ParameterAddress(.gain)])
            #expect(abs(own - gain) <= 0.005, "\(preset.name): \(own), computed \(gain)")
            if own < -0.3 { attenuated += 1 }
        }
        // All but the flat one, the reducers and "deep".
        #expect(attenuated >= 15)
    }

    /// Free filters and the gain go together, at every rate.
    @Test(arguments: [8000, 48_000]) func theGainIsExact(rate: Int) throws {
        let equalizer = EqualizerNode()
        let stage = try UnitStage(equalizer, sampleRate: rate)
        let noise = Signal.noise(4000, seed: 22)
        equalizer.gain = Decibels(-6)
        _ = try stage.render(noise)
        let gain = Float(Decibels(-6).gain)
        let out = try stage.render(noise)[0]
        #expect(zip(out, noise).allSatisfy { abs($0 - gain * $1) < 1e-6 })
        equalizer.gain = Decibels(0)
        _ = try stage.render(noise)
        #expect(try stage.render(noise)[0] == noise)
    }
}
