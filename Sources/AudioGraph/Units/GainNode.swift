/// Makes its input louder or softer.
public final class GainNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "gain", "Changes the level of its input.",
        of: GainNode(),
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)])

    public override class var unit: UnitDescription { ownUnit }

    public override init(name: String = "gain") { super.init(name: name) }

    /// The factor, 0…4; 1 by default. A change takes 10 ms.
    @Parameter(.gain, .gain, 0...4, default: 1, curve: .decibel, ramp: 10)
    public var gain: Volume

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .gain(rendering.own(GainKernel(gain: rendering.single(.gain))))
    }
}

/// A gain in a plan. Input 0 and output 0 are the same buffers.
@safe struct GainKernel {
    private var gain: ParameterRamp

    init(gain: ParameterRamp) { self.gain = gain }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { gain.reset() }
        gain.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        guard !out.isAtRest else { return gain.ramp.advance(count) }
        for channel in 0..<out.channelCount {
            // Every channel of a frame gets the same gain.
            var ramp = gain.ramp
            let samples = unsafe out.channels[channel]
            unsafe ramp.apply(to: StereoSamples(left: samples, right: samples), count: count)
        }
        gain.ramp.advance(count)
    }
}
