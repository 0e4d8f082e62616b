import TestSupport

import Glibc

/// Test signals, as arrays of samples.
enum Signal {
    /// `amplitude`·sin at `frequency` Hz, from frame `start`.
    static func sine(
        _ count: Int, frequency: Double = 440, amplitude: Double = 0.5, rate: Double = 48_000,
        from start: Int = 0
    ) -> [Float] {
        (0..<count).map {
            Float(amplitude * sin(2 * .pi * frequency * Double($0 + start) / rate))
        }
    }

    /// White noise in ±`amplitude`.
    static func noise(_ count: Int, seed: UInt64, amplitude: Float = 0.9) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &random) }
    }

    /// The largest change from one frame to the next.
    static func largestStep(_ samples: [Float]) -> Float {
        zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    }
}

/// The first place where two recordings differ, as text for a failed expectation; nil where they
/// are the same bit for bit.
func firstDifference(_ a: [[Float]], _ b: [[Float]]) -> String? {
    guard a.map(\.count) == b.map(\.count) else { return "lengths differ" }
    for channel in a.indices {
        for frame in a[channel].indices
        where a[channel][frame].bitPattern != b[channel][frame].bitPattern {
            return "channel \(channel) frame \(frame): \(a[channel][frame]) or \(b[channel][frame])"
        }
    }
    return nil
}
