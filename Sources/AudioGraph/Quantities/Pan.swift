/// Where a bus stands between the sides: −1 left, 0 centre, +1 right.
public struct Pan: Sendable, Hashable, LosslessStringConvertible {
    /// The position, −1…1.
    public let position: Double

    public static let left = Pan(-1.0)
    public static let centre = Pan(0.0)
    public static let right = Pan(1.0)

    /// A position; values outside −1…1 are brought to the nearest end, NaN to the centre.
    public init(_ position: Double) {
        self.position = position.isNaN ? 0 : min(max(position, -1), 1)
    }

    /// Reads a number from −1 to 1, or `left`, `centre`, `center`, `right`.
    public init?(_ text: String) {
        switch text.lowercased() {
        case "left": self = .left
        case "centre", "center": self = .centre
        case "right": self = .right
        default:
            guard let value = Double(text), (-1...1).contains(value) else { return nil }
            self.init(value)
        }
    }

    /// The position at the same distance on the other side.
    public var mirrored: Pan { Pan(-position) }

    /// `left`, `centre`, `right`, or a number like `-0.25`.
    public var description: String {
        switch position {
        case -1: "left"
        case 0: "centre"
        case 1: "right"
        default: fixed(position, digits: 2)
        }
    }
}

/// How a pan position becomes the gains of the two sides.
///
/// Positions −1, 0 and +1 give exactly 0, exactly 1 and exactly equal gains.
public enum PanLaw: String, Sendable, CaseIterable {
    /// The summed power stays the same at every position: −3 dB in the centre for a mono bus. The
    /// default.
    ///
    /// Mono: θ = (p+1)·π/4, left = cos θ, right = sin θ. Stereo: the fold of the Web Audio API's
    /// StereoPannerNode (1.34.4), normalised so that no side exceeds its source: for p ≥ 0 and
    /// θ = p·π/2, left' = cos θ·L and right' = (R + sin θ·L)/(1 + sin θ); mirrored for p < 0.
    case constantPower = "constant-power"
    /// The sum of the amplitudes stays the same: −6 dB in the centre for a mono bus.
    ///
    /// Mono: left = (1−p)/2, right = (1+p)/2. Stereo: for p ≥ 0 left' = (1−p)·L and
    /// right' = (R + p·L)/(1 + p); mirrored for p < 0.
    case linear
    /// The nearer side stays as it is, the farther one becomes softer: for p ≥ 0 left' = (1−p)·L
    /// and right' = R; mirrored for p < 0. A mono bus is copied to both sides first.
    case balance

    /// What is panned, which decides how many gains there are.
    enum Source {
        case mono
        case stereo
        /// Two channels that are one source with a room around it.
        case spacious

        /// The one of a number, from 0.
        @_noLocks init(number: Int) {
            switch number {
            case 0: self = .mono
            case 1: self = .stereo
            default: self = .spacious
            }
        }

        var number: Int {
            @_noLocks get {
                switch self {
                case .mono: 0
                case .stereo: 1
                case .spacious: 2
                }
            }
        }
    }

    /// The law of a number among all cases, from 0; out of range the first.
    @_noLocks init(number: Int) {
        switch number {
        case 1: self = .linear
        case 2: self = .balance
        default: self = .constantPower
        }
    }

    /// The number among all cases, from 0.
    var number: Int {
        @_noLocks get {
            switch self {
            case .constantPower: 0
            case .linear: 1
            case .balance: 2
            }
        }
    }

    /// The gains of a bus of `channelCount` channels (1 or 2) at `volume` and `pan`, computed in
    /// Double and rounded once.
    public func matrix(volume: Volume, pan: Pan, channelCount: Int) -> PanMatrix {
        PanMatrix(
            gains(volume: volume.gain, pan: pan.position, of: channelCount == 2 ? .stereo : .mono))
    }

    /// The gains of a stereo bus that is one source with a room around it: what both channels have in
    /// common gets exactly the gains of a mono bus. The farther side keeps its own channel alone, the
    /// nearer one mixes both as on a stereo bus, their parts adding up to 1.
    public func monoMatrix(volume: Volume, pan: Pan) -> PanMatrix {
        PanMatrix(gains(volume: volume.gain, pan: pan.position, of: .spacious))
    }

    /// The gains at a volume and a pan `p` of −1…1: left from left, left from right, right from left,
    /// right from right. Realtime-safe.
    @_noLocks func gains(volume: Double, pan p: Double, of source: Source) -> SIMD4<Double> {
        switch source {
        case .mono:
            let (left, right) = mono(p)
            return SIMD4(volume * left, 0, volume * right, 0)
        case .stereo:
            let (kept, near, folded) = stereo(abs(p))
            return p >= 0
                ? SIMD4(volume * kept, 0, volume * folded, volume * near)
                : SIMD4(volume * near, volume * folded, 0, volume * kept)
        case .spacious:
            let (left, right) = mono(p)
            let (_, near, folded) = stereo(abs(p))
            let sum = near + folded
            let (own, crossed) = (near / sum, folded / sum)
            let (toLeft, toRight) = (volume * left, volume * right)
            return p >= 0
                ? SIMD4(toLeft, 0, toRight * crossed, toRight * own)
                : SIMD4(toLeft * own, toLeft * crossed, 0, toRight)
        }
    }

    @_noLocks private func mono(_ p: Double) -> (left: Double, right: Double) {
        switch self {
        case .constantPower: (quarterSine(1 - (p + 1) / 2), quarterSine((p + 1) / 2))
        case .linear: ((1 - p) / 2, (1 + p) / 2)
        case .balance: (min(1, 1 - p), min(1, 1 + p))
        }
    }

    /// The gains for a pan `p` of 0…1 to the right: of the far side in its own place (`kept`), of
    /// the near side (`near`), and of the far side as mixed into the near one (`folded`).
    @_noLocks private func stereo(_ p: Double) -> (kept: Double, near: Double, folded: Double) {
        switch self {
        case .constantPower:
            let sine = quarterSine(p)
            return (quarterSine(1 - p), 1 / (1 + sine), sine / (1 + sine))
        case .linear: return (1 - p, 1 / (1 + p), p / (1 + p))
        case .balance: return (1 - p, 1, 0)
        }
    }
}

/// sin(x·π/2) for x in 0…1, exact at 0, 1/2 and 1, where sine and cosine are equal. To 1 unit in the
/// last place: Taylor's polynomials of sine and cosine, each up to π/4.
@_noLocks func quarterSine(_ x: Double) -> Double {
    if x == 0.5 { return 0.7071067811865476 }
    if x < 0.5 {
        let angle = x * (Double.pi / 2)
        let square = angle * angle
        var sum = -1 / 1_307_674_368_000.0
        sum = sum * square + 1 / 6_227_020_800.0
        sum = sum * square - 1 / 39_916_800.0
        sum = sum * square + 1 / 362_880.0
        sum = sum * square - 1 / 5040.0
        sum = sum * square + 1 / 120.0
        sum = sum * square - 1 / 6.0
        return angle + angle * square * sum
    }
    let angle = (1 - x) * (Double.pi / 2)
    let square = angle * angle
    var sum = 1 / 20_922_789_888_000.0
    sum = sum * square - 1 / 87_178_291_200.0
    sum = sum * square + 1 / 479_001_600.0
    sum = sum * square - 1 / 3_628_800.0
    sum = sum * square + 1 / 40_320.0
    sum = sum * square - 1 / 720.0
    sum = sum * square + 1 / 24.0
    return 1 - square / 2 + square * square * sum
}

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
