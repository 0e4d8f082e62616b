/// A live stream of two hours whose sender's clock is off, and what a factor for the speed of
/// playing makes of it.
public struct DriftingStream {
    /// The fewest and the most seconds that are buffered.
    public let buffered: ClosedRange<Double>
    /// The smallest and the largest factor.
    public let factors: ClosedRange<Double>
    /// By how much the factor changes in a second, at most.
    public let fastestChange: Double
    /// How far the factor still moved after the first hour.
    public let wobble: Double

    /// - Parameters:
    ///   - deviation: how much faster the sender is than we are, as a ratio: 5e-4 are 500 ppm. It
    ///     sends in bursts of up to 1 s.
    ///   - start: the seconds that are buffered at first.
    ///   - factor: the factor for these seconds in the buffer, at this time.
    public init(
        deviation: Double, from start: Double, seed: UInt64,
        factor: (_ buffered: Double, _ time: Double) -> Double
    ) {
        var random = SeededRandom(seed: seed)
        var (buffered, held, present) = (start, 0.0, 1.0)
        var (lowest, highest) = (start, start)
        var (slowest, fastest, change) = (1.0, 1.0, 0.0)
        var settled: [Double] = []
        let step = 0.02
        var burst = 0.5
        for tick in 0..<(2 * 3600 * 50) {
            let time = Double(tick) * step
            held += step * (1 + deviation)
            burst -= step
            if burst <= 0 {
                buffered += held
                held = 0
                burst = Double.random(in: 0.05...1, using: &random)
            }
            let before = present
            present = factor(buffered, time)
            buffered -= step * present
            if tick > 0 { change = max(change, abs(present - before) / step) }
            (slowest, fastest) = (min(slowest, present), max(fastest, present))
            (lowest, highest) = (min(lowest, buffered), max(highest, buffered))
            if time > 3600 { settled.append(present) }
        }
        self.buffered = lowest...highest
        factors = slowest...fastest
        fastestChange = change
        wobble = settled.max()! - settled.min()!
    }
}
