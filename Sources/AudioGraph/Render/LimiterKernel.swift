import Synchronization

/// A limiter in a plan. Input 0 and output 0 are the same buffers; output 1 is a control bus with
/// the limiter's gains.
@safe struct LimiterKernel {
    /// What the render thread tells the control thread.
    struct Controls: ~Copyable {
        let gain = Atomic<Float>(1)
    }

    private let controls: UnsafePointer<Controls>
    private var limiter: Limiter
    private var ceiling: ParameterRamp

    init(
        controls: UnsafePointer<Controls>, mailbox: UnsafePointer<Mailbox>, ceiling: Float,
        sampleRate: Int
    ) {
        unsafe self.controls = controls
        self.ceiling = unsafe ParameterRamp(mailbox: mailbox, at: ceiling)
        limiter = Limiter(sampleRate: sampleRate)
    }

    @_noLocks mutating func reset() {
        ceiling.reset()
        limiter.reset()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        ceiling.take()
        let isIdle = limiter.gain == 1 && inputs[0].isAtRest
        let isActive =
            unsafe !isIdle
            && process(outputs[0].stereo, curve: outputs[1].gains, count: slice.count)
        unsafe ceiling.ramp.advance(slice.count)
        outputs[1].isAtRest = !isActive
        unsafe controls.pointee.gain.store(limiter.gain, ordering: .relaxed)
    }

    /// Returns whether any frame was limited; where not, no gain is written.
    @inline(__always) @_noLocks private mutating func process(
        _ samples: StereoSamples, curve: Samples, count: Int
    ) -> Bool {
        // While the ceiling moves, every frame has its own.
        let step = ceiling.ramp.remaining == 0 ? count : 1
        var isActive = step < count
        var done = 0
        while done < count {
            let frames = unsafe StereoSamples(
                left: samples.left + done, right: samples.right + done)
            let isLimited = unsafe limiter.process(
                frames, ceiling: ceiling.ramp.value(at: done), curve: curve + done, count: step)
            if !isLimited, step < count { unsafe curve[done] = 1 }
            isActive = isActive || isLimited
            done += step
        }
        return isActive
    }
}
