import Glibc

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

    /// The gains of a bus of `channelCount` channels (1 or 2) at `volume` and `pan`, computed in
    /// Double and rounded once.
    public func matrix(volume: Volume, pan: Pan, channelCount: Int) -> PanMatrix {
        let p = pan.position
        guard channelCount == 2 else {
            let (left, right) = mono(p)
            return PanMatrix(
                leftFromLeft: Float(volume.gain * left), leftFromRight: 0,
                rightFromLeft: Float(volume.gain * right), rightFromRight: 0)
        }
        let (kept, near, folded) = stereo(p.magnitude)
        let far = Float(volume.gain * kept)
        let own = Float(volume.gain * near)
        let crossed = Float(volume.gain * folded)
        return p >= 0
            ? PanMatrix(
                leftFromLeft: far, leftFromRight: 0, rightFromLeft: crossed, rightFromRight: own)
            : PanMatrix(
                leftFromLeft: own, leftFromRight: crossed, rightFromLeft: 0, rightFromRight: far)
    }

    /// The gains of a stereo bus that is one source with a room around it: what both channels have in
    /// common gets exactly the gains of a mono bus. The farther side keeps its own channel alone, the
    /// nearer one mixes both as on a stereo bus, their parts adding up to 1.
    public func monoMatrix(volume: Volume, pan: Pan) -> PanMatrix {
        let p = pan.position
        let (left, right) = mono(p)
        let (_, near, folded) = stereo(p.magnitude)
        let sum = near + folded
        let (own, crossed) = (near / sum, folded / sum)
        let (toLeft, toRight) = (volume.gain * left, volume.gain * right)
        return p >= 0
            ? PanMatrix(
                leftFromLeft: Float(toLeft), leftFromRight: 0,
                rightFromLeft: Float(toRight * crossed), rightFromRight: Float(toRight * own))
            : PanMatrix(
                leftFromLeft: Float(toLeft * own), leftFromRight: Float(toLeft * crossed),
                rightFromLeft: 0, rightFromRight: Float(toRight))
    }

    private func mono(_ p: Double) -> (left: Double, right: Double) {
        switch self {
        case .constantPower: (quarterCosine((p + 1) / 2), quarterSine((p + 1) / 2))
        case .linear: ((1 - p) / 2, (1 + p) / 2)
        case .balance: (min(1, 1 - p), min(1, 1 + p))
        }
    }

    /// The gains for a pan `p` of 0…1 to the right: of the far side in its own place (`kept`), of
    /// the near side (`near`), and of the far side as mixed into the near one (`folded`).
    private func stereo(_ p: Double) -> (kept: Double, near: Double, folded: Double) {
        switch self {
        case .constantPower:
            (quarterCosine(p), 1 / (1 + quarterSine(p)), quarterSine(p) / (1 + quarterSine(p)))
        case .linear: (1 - p, 1 / (1 + p), p / (1 + p))
        case .balance: (1 - p, 1, 0)
        }
    }
}

/// sin(x·π/2) for x in 0…1, exact at 0 and 1, and the same as `quarterCosine` at 1/2.
private func quarterSine(_ x: Double) -> Double {
    switch x {
    case 0: 0
    case 0.5: 0.5.squareRoot()
    case 1: 1
    default: sin(x * .pi / 2)
    }
}

/// cos(x·π/2) for x in 0…1, exact at the ends: the library's cos(π/2) ≈ 6e-17 would leak through.
private func quarterCosine(_ x: Double) -> Double {
    x == 0.5 ? quarterSine(0.5) : x == 1 ? 0 : cos(x * .pi / 2)
}
