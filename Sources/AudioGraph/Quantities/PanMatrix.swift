/// A bus's volume and pan as the gains from its channels to the two sides.
///
/// A mono bus uses only `leftFromLeft` and `rightFromLeft`.
public struct PanMatrix: Sendable, Hashable, BitwiseCopyable {
    public var leftFromLeft: Float
    public var leftFromRight: Float
    public var rightFromLeft: Float
    public var rightFromRight: Float

    /// All gains 0.
    public static let silent = PanMatrix(
        leftFromLeft: 0, leftFromRight: 0, rightFromLeft: 0, rightFromRight: 0)

    public init(
        leftFromLeft: Float, leftFromRight: Float, rightFromLeft: Float, rightFromRight: Float
    ) {
        self.leftFromLeft = leftFromLeft
        self.leftFromRight = leftFromRight
        self.rightFromLeft = rightFromLeft
        self.rightFromRight = rightFromRight
    }

    /// Each of the gains, in the order of `PanLaw.gains`, rounded.
    init(_ gains: SIMD4<Double>) {
        self.init(
            leftFromLeft: Float(gains.x), leftFromRight: Float(gains.y),
            rightFromLeft: Float(gains.z), rightFromRight: Float(gains.w))
    }
}
