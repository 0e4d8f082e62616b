import Synchronization

/// A limiter in a plan. Input 0 and output 0 are the same buffers; output 1 is a control bus with
/// the limiter's gains.
@safe struct LimiterKernel {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        let ceiling: Atomic<Float>
        let gain = Atomic<Float>(1)
    }

    private let controls: UnsafePointer<Controls>
    private var limiter: Limiter

    init(controls: UnsafePointer<Controls>, sampleRate: Int) {
        unsafe self.controls = controls
        limiter = Limiter(sampleRate: sampleRate)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let ceiling = unsafe controls.pointee.ceiling.load(ordering: .relaxed)
        let isIdle = limiter.gain == 1 && inputs[0].isAtRest
        let isActive =
            unsafe !isIdle
            && limiter.process(
                outputs[0].stereo, ceiling: ceiling, curve: outputs[1].gains, count: slice.count)
        outputs[1].isAtRest = !isActive
        unsafe controls.pointee.gain.store(limiter.gain, ordering: .relaxed)
    }
}
