/// A de-esser in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct DeEsserKernel {
    private let reading: UnsafePointer<ReductionReading>
    private var shelf: SibilantShelf
    /// The gain of the filter's integrators.
    private var frequency: ParameterRamp
    /// In factors of 2.
    private var threshold: ParameterRamp
    private var depth: ParameterRamp

    /// - Parameter parameters: frequency, threshold and depth.
    init(_ parameters: [ParameterRamp], reading: UnsafePointer<ReductionReading>, sampleRate: Int) {
        unsafe self.reading = reading
        shelf = SibilantShelf(sampleRate: sampleRate)
        frequency = parameters[0]
        threshold = parameters[1]
        depth = parameters[2]
    }

    @_noLocks mutating func reset() {
        frequency.reset()
        threshold.reset()
        depth.reset()
        shelf.reset()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        frequency.take()
        threshold.take()
        depth.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !(out.isAtRest && shelf.isSilent) {
            // While the frequency moves, every frame has its own.
            let part = frequency.ramp.remaining > 0 ? 1 : count
            var i = 0
            while i < count {
                unsafe shelf.process(
                    StereoSamples(left: out.stereo.left + i, right: out.stereo.right + i),
                    g: frequency.ramp.value(at: i), threshold: threshold.ramp.target,
                    depth: depth.ramp.target, count: part)
                i += part
            }
            out.isAtRest = false
        }
        frequency.ramp.advance(count)
        unsafe reading.pointee.publish(shelf.reduction)
    }
}
