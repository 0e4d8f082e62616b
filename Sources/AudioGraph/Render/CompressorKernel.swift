/// A compressor in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
///
/// Feed-forward, in the logarithmic domain: level → curve → smoothing → gain (Giannoulis, Massberg,
/// Reiss, 2012, figure 7c).
@safe struct CompressorKernel: ~Copyable {
    private let reading: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var smoother = BranchingSmoother(at: 0)
    /// In factors of 2.
    private var threshold: ParameterRamp
    /// 1 − 1/ratio.
    private var slope: ParameterRamp
    /// In factors of 2.
    private var knee: ParameterRamp
    /// The parts of the way that are made in a frame.
    private var attack: ParameterRamp
    private var release: ParameterRamp
    /// In factors of 2.
    private var makeUp: ParameterRamp

    /// - Parameter parameters: threshold, slope, knee, attack, release and make-up.
    init(_ parameters: [ParameterRamp], reading: UnsafePointer<ReductionReading>, sampleRate: Int) {
        unsafe self.reading = reading
        window = PeakWindow(sampleRate: sampleRate, sliceFrames: TapRing.sliceFrames)
        threshold = parameters[0]
        slope = parameters[1]
        knee = parameters[2]
        attack = parameters[3]
        release = parameters[4]
        makeUp = parameters[5]
    }

    @_noLocks mutating func reset() {
        threshold.reset()
        slope.reset()
        knee.reset()
        attack.reset()
        release.reset()
        makeUp.reset()
        window.reset()
        smoother = BranchingSmoother(at: 0)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        threshold.take()
        slope.take()
        knee.take()
        attack.take()
        release.take()
        makeUp.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !(out.isAtRest && window.isSilent && smoother.value == 0) {
            let isMoving =
                threshold.ramp.remaining > 0 || slope.ramp.remaining > 0
                || knee.ramp.remaining > 0 || makeUp.ramp.remaining > 0
            // While a parameter moves, every frame has its own.
            let part = isMoving ? 1 : count
            var i = 0
            while i < count {
                let rest = unsafe StereoSamples(
                    left: out.stereo.left + i, right: out.stereo.right + i)
                unsafe process(rest, at: i, count: part)
                i += part
            }
        }
        threshold.ramp.advance(count)
        slope.ramp.advance(count)
        knee.ramp.advance(count)
        makeUp.ramp.advance(count)
        unsafe reading.pointee.publish(smoother.value)
    }

    /// Compresses `count` frames by the parameters as they are `offset` frames from now.
    @_noLocks private mutating func process(
        _ samples: StereoSamples, at offset: Int, count: Int
    ) {
        unsafe window.process(samples, count: count)
        let curve = CompressorCurve(
            threshold: threshold.ramp.value(at: offset), slope: slope.ramp.value(at: offset),
            knee: knee.ramp.value(at: offset))
        let levels = unsafe window.levels
        unsafe curve.process(levels, count: count)
        unsafe smoother.process(
            levels, up: attack.ramp.target, down: release.ramp.target, count: count)
        unsafe GainCurve.apply(
            levels, offset: makeUp.ramp.value(at: offset), to: samples, count: count)
    }
}
