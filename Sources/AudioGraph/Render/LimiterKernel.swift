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
        ceiling.ramp.remaining == 0
            ? unsafe limiter.process(
                samples, ceiling: ceiling.ramp.target, curve: curve, count: count)
            : unsafe processFrames(samples, curve: curve, count: count)
    }

    /// As `process` while the ceiling moves: every frame has its own.
    @inline(never) @_noLocks private mutating func processFrames(
        _ samples: StereoSamples, curve: Samples, count: Int
    ) -> Bool {
        for i in 0..<count {
            let frame = unsafe StereoSamples(left: samples.left + i, right: samples.right + i)
            let ceiling = ceiling.ramp.value(at: i)
            if unsafe !limiter.process(frame, ceiling: ceiling, curve: curve + i, count: 1) {
                unsafe curve[i] = 1
            }
        }
        return true
    }
}
