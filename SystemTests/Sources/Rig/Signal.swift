import Glibc

/// Test signals, as arrays of samples.
public enum Signal {
    /// `amplitude`·sin at `frequency` Hz, from frame `start`.
    public static func sine(
        _ count: Int, frequency: Double = 440, amplitude: Double = 0.5, rate: Double = 48_000,
        from start: Int = 0
    ) -> [Float] {
        (0..<count).map {
            Float(amplitude * sin(2 * .pi * frequency * Double($0 + start) / rate))
        }
    }

    /// ±`amplitude`, which changes its sign every `half` frames.
    public static func square(_ count: Int, half: Int, amplitude: Double) -> [Float] {
        (0..<count).map { Float($0 / half % 2 == 0 ? amplitude : -amplitude) }
    }

    /// White noise in ±`amplitude`.
    public static func noise(_ count: Int, seed: UInt64, amplitude: Float = 0.9) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &random) }
    }
}
