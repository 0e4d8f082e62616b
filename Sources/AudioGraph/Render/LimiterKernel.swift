import Synchronization

/// A limiter in a plan. The control thread sets its ceiling; the feedback guard reads its gains of
/// the present slice.
@safe struct LimiterKernel {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        let ceiling: Atomic<Float>
        let gain = Atomic<Float>(1)
    }

    private let controls: UnsafePointer<Controls>
    private var limiter: Limiter
    /// Whether the limiter wrote its gains of the present slice to the curve.
    private(set) var isActive = false

    init(controls: UnsafePointer<Controls>, sampleRate: Int) {
        unsafe self.controls = controls
        limiter = Limiter(sampleRate: sampleRate)
    }

    @_noLocks mutating func render(_ samples: StereoSamples, curve: Samples, count: Int) {
        let ceiling = unsafe controls.pointee.ceiling.load(ordering: .relaxed)
        isActive = unsafe limiter.process(
            samples, ceiling: ceiling, curve: curve, count: count)
        unsafe controls.pointee.gain.store(limiter.gain, ordering: .relaxed)
    }
}
