/// The same noise that `jack-witness --noise SEED` plays, −0.5 to 0.5, for comparison.
public struct Noise: Sequence, IteratorProtocol {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// The next sample: the upper half of the state of Knuth's MMIX generator.
    public mutating func next() -> Float? {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-32
    }

    /// The next `count` samples.
    public func prefix(_ count: Int) -> [Float] {
        var noise = self
        return (0..<count).map { _ in noise.next()! }
    }
}
