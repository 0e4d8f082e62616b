@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// Compares the meter with its definition, computed frame by frame.
@Suite struct MeterTests {
    /// The definition (`Meter`): peak held 0.5 s, then −10.5 dB/s; one-pole mean square, τ = 0.3 s.
    private struct ReferenceMeter {
        var (peak, meanSquare, hold) = (Float(0), 0.0, 0)

        mutating func add(_ sample: Float) {
            let magnitude = abs(sample) < 0x1p20 ? abs(sample) : 0x1p20
            let weight = 1 - exp(-1 / (0.3 * 48_000))
            meanSquare += (Double(magnitude) * Double(magnitude) - meanSquare) * weight
            if magnitude >= peak {
                (peak, hold) = (magnitude, 24_000)
            } else if hold > 0 {
                hold -= 1
            } else {
                peak *= Float(pow(10, -10.5 / 20 / 48_000))
            }
        }
    }

    /// Loud; silent for longer than the hold; loud before the peak has fallen far; silent; soft,
    /// with a NaN and an infinity in it.
    private func signal(_ random: inout SeededRandom) -> [Float] {
        var samples: [Float] = []
        let parts: [(Int, Float)] = [
            (6000, 1), (30_000, 0), (5000, 0.9), (40_000, 0), (9001, 0.2), (30_003, 0.01),
        ]
        for (count, amplitude) in parts {
            for _ in 0..<count {
                samples.append(amplitude * Float.random(in: -1...1, using: &random))
            }
        }
        samples[100_000] = .nan
        samples[100_001] = -.infinity
        return samples
    }

    private func process(_ samples: inout [Float], in splits: () -> Int) -> Meter {
        var meter = Meter(sampleRate: 48_000)
        samples.withUnsafeMutableBufferPointer { all in
            var done = 0
            while done < all.count {
                let n = min(splits(), all.count - done)
                let slice = all.baseAddress! + done
                meter.process(StereoSamples(left: slice, right: slice), count: n)
                done += n
            }
        }
        return meter
    }

    @Test func readsAsDefinedWhateverTheSplit() {
        var random = SeededRandom(seed: 7)
        let all = signal(&random)
        for end in [1, 7, 8, 100, 5000, 35_999, 38_000, 60_001, 81_500, all.count] {
            var samples = Array(all[..<end])
            var plain = ReferenceMeter()
            for sample in samples { plain.add(sample) }
            let whole = process(&samples) { end }
            #expect(whole.left.peak == plain.peak, "\(end) frames")
            // 0.004 dB: the rounding errors of single precision over a second.
            #expect(
                abs(Double(whole.left.meanSquare) - plain.meanSquare) <= 1e-3 * plain.meanSquare,
                "\(end) frames")
            for longest in [1, 8, 200, 200, 25_000, 25_000] {
                let split = process(&samples) { Int.random(in: 1...longest, using: &random) }
                #expect(split.left.peak == whole.left.peak)
                #expect(split.right.meanSquare == whole.left.meanSquare)
            }
        }
    }
}
