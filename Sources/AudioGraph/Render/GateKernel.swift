/// A gate in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct GateKernel: ~Copyable {
    private let reading: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var detector = GateDetector()
    private var smoother = BranchingSmoother(at: 0)
    /// Linear.
    private var threshold: ParameterRamp
    /// What the threshold is multiplied by for closing, at most 1.
    private var hysteresis: ParameterRamp
    /// The part of the way that is made in a frame.
    private var attack: ParameterRamp
    /// In frames.
    private var hold: ParameterRamp
    /// The part of the way that is made in a frame.
    private var release: ParameterRamp
    /// What is taken away while the gate is closed, in factors of 2.
    private var depth: ParameterRamp
    private var isNew = true

    /// - Parameter parameters: threshold, hysteresis, attack, hold, release and depth.
    init(_ parameters: [ParameterRamp], reading: UnsafePointer<ReductionReading>, sampleRate: Int) {
        unsafe self.reading = reading
        window = PeakWindow(sampleRate: sampleRate, sliceFrames: TapRing.sliceFrames)
        threshold = parameters[0]
        hysteresis = parameters[1]
        attack = parameters[2]
        hold = parameters[3]
        release = parameters[4]
        depth = parameters[5]
    }

    @_noLocks mutating func reset() {
        take()
        window.reset()
        detector = GateDetector()
        smoother = BranchingSmoother(at: Double(depth.ramp.target))
    }

    @_noLocks private mutating func take() {
        threshold.take()
        hysteresis.take()
        attack.take()
        hold.take()
        release.take()
        depth.take()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        take()
        if isNew {
            // Closed.
            reset()
            isNew = false
        }
        let (out, count) = unsafe (outputs[0], slice.count)
        let closed = depth.ramp.target
        let isIdle =
            out.isAtRest && window.isSilent && !detector.isOpen && smoother.value == Double(closed)
        if !isIdle { unsafe process(out.stereo, closed: closed, count: count) }
        unsafe reading.pointee.publish(smoother.value)
    }

    @_noLocks private mutating func process(
        _ samples: StereoSamples, closed: Float, count: Int
    ) {
        unsafe window.process(samples, count: count)
        let levels = unsafe window.levels
        let opening = threshold.ramp.target
        let closing = opening * hysteresis.ramp.target
        let holdFrames = Int32(truncatingIfNeeded: Int(hold.ramp.target))
        var detector = detector
        for i in 0..<count {
            let isOpen = unsafe detector.hears(
                levels[i], opening: opening, closing: closing, hold: holdFrames)
            unsafe levels[i] = isOpen ? 0 : closed
        }
        self.detector = detector
        unsafe smoother.process(
            levels, up: release.ramp.target, down: attack.ramp.target, count: count)
        unsafe GainCurve.apply(levels, offset: 0, to: samples, count: count)
    }
}
