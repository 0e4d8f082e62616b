import Synchronization

/// A limiter in a plan. Input 0 and output 0 are the same buffers; output 1 is a control bus with
/// the limiter's gains.
@safe struct LimiterKernel {
    /// What the render thread tells the control thread.
    struct Controls: ~Copyable {
        let gain = Atomic<Float>(1)
    }

    private let controls: UnsafePointer<Controls>
    private let mailbox: UnsafePointer<Mailbox>
    private var limiter: Limiter
    private var ceiling: Float

    init(
        controls: UnsafePointer<Controls>, mailbox: UnsafePointer<Mailbox>, ceiling: Float,
        sampleRate: Int
    ) {
        unsafe self.controls = controls
        unsafe self.mailbox = mailbox
        self.ceiling = ceiling
        limiter = Limiter(sampleRate: sampleRate)
    }

    @_noLocks mutating func reset() { limiter.reset() }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if let new = unsafe mailbox.pointee.take() { ceiling = unsafe new.floats[0] }
        let isIdle = limiter.gain == 1 && inputs[0].isAtRest
        let isActive =
            unsafe !isIdle
            && limiter.process(
                outputs[0].stereo, ceiling: ceiling, curve: outputs[1].gains, count: slice.count)
        outputs[1].isAtRest = !isActive
        unsafe controls.pointee.gain.store(limiter.gain, ordering: .relaxed)
    }
}
