/// A vocal remover in a plan. Input 0 and output 0 are the same buffers, stereo, or mono: then both
/// sides are the same.
@safe struct VocalRemoverKernel {
    private var amount: ParameterRamp

    /// - Parameter parameters: amount, 0…1.
    init(_ parameters: [ParameterRamp]) { amount = parameters[0] }

    @_noLocks mutating func reset() { amount.reset() }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        amount.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !out.isAtRest, !amount.ramp.isSilent {
            unsafe CentreRemover.process(out.stereo, amount: amount.ramp, count: count)
        }
        amount.ramp.advance(count)
    }
}
