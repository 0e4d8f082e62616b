/// A gain in a plan. Input 0 and output 0 are the same buffers.
@safe struct GainKernel {
    private var gain: ParameterRamp

    /// - Parameter parameters: gain.
    init(_ parameters: [ParameterRamp]) { gain = parameters[0] }

    @_noLocks mutating func reset() { gain.reset() }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
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
