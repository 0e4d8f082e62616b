import Synchronization

/// Fades a connection in or out, in 10 ms, while the graph runs.
@safe struct ConnectionFade {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        let target: Atomic<Float>
        /// The target that the fade has reached, or −1 while it is under way.
        let reached: Atomic<Float>
    }

    private let controls: UnsafePointer<Controls>
    private var ramp: Ramp

    init(controls: UnsafePointer<Controls>, at gain: Float, sampleRate: Int) {
        unsafe self.controls = controls
        ramp = Ramp(at: gain, length: RampClock.parameterLength(sampleRate: sampleRate))
    }

    /// Adds `source`, faded, to `sum`; a mono source is added to both sides of a stereo sum.
    @_noLocks mutating func render(_ source: StereoSamples, to sum: StereoSamples, count: Int) {
        ramp.aim(at: unsafe controls.pointee.target.load(ordering: .relaxed))
        let isMono = unsafe sum.isMono
        for i in 0..<count {
            let gain = ramp.value(at: i)
            unsafe sum.left[i] += source.left[i] * gain
            if !isMono { unsafe sum.right[i] += source.right[i] * gain }
        }
        ramp.advance(count)
        let resting: Float = ramp.remaining <= 0 ? ramp.target : -1
        unsafe controls.pointee.reached.store(resting, ordering: .relaxed)
    }
}
