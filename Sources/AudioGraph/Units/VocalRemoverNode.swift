/// Takes the voice out of a song, in the plain way: what is the same on both sides goes, and with the
/// voice so do bass, kick and the width of the rest.
public final class VocalRemoverNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "vocal-remover",
        "Removes the centre, where most vocals are, by subtracting left from right.",
        of: VocalRemoverNode(),
        inputs: [BusDescription("input", channels: 2...2)],
        outputs: [BusDescription("output", channels: 2...2)])

    public override class var unit: UnitDescription { ownUnit }

    public override init(name: String = "vocal remover") { super.init(name: name) }

    /// How much is taken away, 0…100 %; 100 by default: both sides are then half of left minus
    /// right, and at 0 the input to the bit. Values outside are brought to the nearest end, what is
    /// no number to 100. A change takes 10 ms. Control thread.
    @Parameter(.amount, .percent, 0...100, default: 100, ramp: 10, as: { value, _ in value / 100 })
    public var amount: Double

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .vocalRemover(rendering.own(VocalRemoverKernel(amount: rendering.single(.amount))))
    }
}

/// A vocal remover in a plan. Input 0 and output 0 are the same buffers, stereo, or mono: then both
/// sides are the same.
@safe struct VocalRemoverKernel {
    private var amount: ParameterRamp

    /// - Parameter amount: 0…1.
    init(amount: ParameterRamp) { self.amount = amount }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { amount.reset() }
        amount.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !out.isAtRest, !amount.ramp.isSilent {
            unsafe CentreRemover.process(out.stereo, amount: amount.ramp, count: count)
        }
        amount.ramp.advance(count)
    }
}

/// Takes away what is the same on both sides, by a crossfade: x·(1 − a) + a·(L − R)/2 for each side
/// x, the amount a being 0…1.
///
/// Half of the difference, so that no frame becomes louder than full scale; sox's `oops` does the
/// same.
enum CentreRemover {
    /// Changes `count` frames in place. Of a mono bus, whose sides are the same, nothing is left.
    @_noLocks static func process(_ samples: StereoSamples, amount: Ramp, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let a = amount.value(at: i)
            let (l, r) = unsafe (left[i], right[i])
            let difference = (l - r) / 2
            // Of a mono bus both lines write the same sample.
            unsafe left[i] = l * (1 - a) + difference * a
            unsafe right[i] = r * (1 - a) + difference * a
        }
    }
}
