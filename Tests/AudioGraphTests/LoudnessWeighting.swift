@testable import AudioGraph
import Glibc

/// How loud frequencies are, by ITU-R BS.1770-4, annex 1, and by how much filters make pink noise
/// louder.
enum LoudnessWeighting {
    /// The rate in Hz at which the recommendation gives its filters.
    static let sampleRate = 48_000

    /// Tables 1 and 2: the head's shelf, and a high-pass.
    private static let stages: [(top: [Double], bottom: [Double])] = [
        (
            [1.53512485958697, -2.69169618940638, 1.19839281085285],
            [1, -1.69065929318241, 0.73248077421585]
        ),
        ([1, -2, 1], [1, -1.99004745483398, 0.99007225036621]),
    ]

    /// By how many LU filters at `sampleRate` change pink noise of 20 Hz to 20 kHz: its power is the
    /// same in every part of an octave.
    static func change(by filters: [FilterCoefficients]) -> Double {
        let count = 500
        var (before, after) = (0.0, 0.0)
        for step in 0..<count {
            let frequency = 20 * pow(1000, (Double(step) + 0.5) / Double(count))
            let w = 2 * Double.pi * frequency / Double(sampleRate)
            let power = stages.reduce(1) {
                $0 * squaredMagnitude($1.top, w) / squaredMagnitude($1.bottom, w)
            }
            before += power
            after += power * pow(10, filters.reduce(0) { $0 + $1.decibels(at: w) } / 10)
        }
        return 10 * log10(after / before)
    }

    /// |c₀ + c₁·z⁻¹ + c₂·z⁻²|² at z = e^(jw).
    private static func squaredMagnitude(_ c: [Double], _ w: Double) -> Double {
        let real = c[0] + c[1] * cos(w) + c[2] * cos(2 * w)
        let imaginary = c[1] * sin(w) + c[2] * sin(2 * w)
        return real * real + imaginary * imaginary
    }
}
