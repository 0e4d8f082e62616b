/// A ducker in a plan. Input 0: the voice, mono or stereo. Output 0: a control bus, the gain of what
/// makes room for it.
@safe struct DuckerKernel: ~Copyable {
    private let reading: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var detector = GateDetector()
    /// What is taken away, in factors of 2.
    private var reduction = Ramp(at: 0, length: 0)
    /// Linear.
    private var threshold: ParameterRamp
    /// What is taken away while the voice is heard, in factors of 2.
    private var depth: ParameterRamp
    /// In frames.
    private var attack: ParameterRamp
    private var hold: ParameterRamp
    private var release: ParameterRamp
    /// 0, or 1 while nothing is taken away.
    private var bypass: ParameterRamp

    /// - Parameter parameters: threshold, depth, attack, hold, release and bypass.
    init(_ parameters: [ParameterRamp], reading: UnsafePointer<ReductionReading>, sampleRate: Int) {
        unsafe self.reading = reading
        window = PeakWindow(sampleRate: sampleRate, sliceFrames: TapRing.sliceFrames)
        threshold = parameters[0]
        depth = parameters[1]
        attack = parameters[2]
        hold = parameters[3]
        release = parameters[4]
        bypass = parameters[5]
    }

    @_noLocks mutating func reset() {
        take()
        bypass.reset()
        window.reset()
        detector = GateDetector()
        reduction = Ramp(at: 0, length: 0)
    }

    @_noLocks private mutating func take() {
        threshold.take()
        depth.take()
        attack.take()
        hold.take()
        release.take()
        bypass.take()
    }

    /// Whether nothing is taken away.
    private var isResting: Bool { @_noLocks get { reduction.isSilent } }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        take()
        let (voice, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        let isIdle = voice.isAtRest && window.isSilent && !detector.isOpen && isResting
        out.isAtRest = unsafe isIdle || !duck(by: voice.stereo, to: out.gains, count: count)
        bypass.ramp.advance(count)
        let part = 1 - bypass.ramp.value(at: 0)
        unsafe reading.pointee.publish(Double(reduction.value(at: 0) * part))
    }

    /// Returns whether anything is taken away in these frames.
    @_noLocks private mutating func duck(
        by voice: StereoSamples, to gains: Samples, count: Int
    ) -> Bool {
        unsafe window.process(voice, count: count)
        let levels = unsafe window.levels
        let opening = threshold.ramp.target
        let holdFrames = Int32(truncatingIfNeeded: Int(hold.ramp.target))
        var isHeard = false
        for i in 0..<count {
            let isOpen = unsafe detector.hears(
                levels[i], opening: opening, closing: opening, hold: holdFrames)
            let wanted = isOpen ? depth.ramp.target : 0
            if wanted != reduction.target {
                let way = wanted > reduction.value(at: 0) ? attack : release
                reduction.aim(
                    at: wanted, over: Int32(truncatingIfNeeded: Int(way.ramp.target)))
            }
            reduction.advance(1)
            if !isResting { isHeard = true }
            let taken = reduction.value(at: 0) * (1 - bypass.ramp.value(at: i))
            unsafe gains[i] = BinaryLogarithm.power(-taken)
        }
        return isHeard
    }
}
