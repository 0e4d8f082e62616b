@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// How loud the equalizer's presets are.
@Suite struct EqualizerLoudnessTests {
    /// 10 s of pink noise at 48 kHz: white noise through P. Kellet's filter, which falls by 3 dB per
    /// octave from 10 Hz on, to 0.05 dB.
    private static let pink: [Float] = {
        let poles = [0.99886, 0.99332, 0.96900, 0.86650, 0.55000, -0.7616]
        let gains = [0.0555179, 0.0750759, 0.1538520, 0.3104856, 0.5329522, -0.0168980]
        var states = [0.0, 0, 0, 0, 0, 0]
        var last = 0.0
        return Signal.noise(480_000, seed: 21, amplitude: 0.2).map { sample in
            let white = Double(sample)
            var sum = last + white * 0.5362
            last = white * 0.115926
            for i in states.indices {
                states[i] = poles[i] * states[i] + gains[i] * white
                sum += states[i]
            }
            return Float(0.1 * sum)
        }
    }()

    /// The loudness of a channel in LUFS by ITU-R BS.1770-4 at 48 kHz, without its gate.
    private func loudness(_ samples: [Float]) -> Double {
        func filtered(_ x: [Double], _ b: [Double], _ a: [Double]) -> [Double] {
            var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
            return x.map { sample in
                let y = b[0] * sample + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2
                (x2, x1, y2, y1) = (x1, sample, y1, y)
                return y
            }
        }
        let shelf = filtered(
            samples.map(Double.init), [1.53512485958697, -2.69169618940638, 1.19839281085285],
            [-1.69065929318241, 0.73248077421585])
        let weighted = filtered(shelf, [1, -2, 1], [-1.99004745483398, 0.99007225036621])
        let power = weighted.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
        return -0.691 + 10 * log10(power)
    }

    /// A preset that makes pink noise louder is turned down to 0.3 LU, one that makes it softer is
    /// not turned up.
    @Test func noPresetIsLouder() throws {
        let before = loudness(Self.pink)
        var attenuated = 0
        for preset in EqualizerNode.unit.presets {
            func change(atGain gain: Double?) throws -> Double {
                let equalizer = EqualizerNode(sampleRate: 48_000)
                try equalizer.use(preset: preset.name)
                if let gain { equalizer.gain = Decibels(gain) }
                let out = try UnitStage(equalizer).render(Self.pink, period: 4096)[0]
                return loudness(out) - before
            }
            let plain = try change(atGain: 0)
            let result = try change(atGain: nil)
            #expect(abs(result - min(0, plain)) < 0.3, "\(preset.name): \(plain), \(result)")
            if plain > 0.3 { attenuated += 1 }
            print("\(preset.name): \(fixed(plain, digits: 2)) LU, \(fixed(result, digits: 2)) LU")
        }
        // All but the flat one, the reducers and "deep".
        #expect(attenuated >= 15)
    }

    /// Free filters and the gain go together, at every rate.
    @Test(arguments: [8000, 48_000]) func theGainIsExact(rate: Int) throws {
        let equalizer = EqualizerNode(sampleRate: rate)
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
