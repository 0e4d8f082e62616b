/// The noise that `jack-witness --noise SEED` plays, made again: −0.5 to 0.5.
public struct Noise: Sequence, IteratorProtocol {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// Knuth's MMIX generator; the upper half of its state.
    public mutating func next() -> Float? {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-32
    }
}
