import Synchronization

/// Turns the microphone down to −20 dB when it feeds back, until the user turns it up again.
///
/// Input 0: a control bus, the limiter's gains. Input 1: the microphone's bus after volume and pan.
/// Inputs 2…: all other buses. Output 0: a control bus, the microphone's gain.
@safe struct FeedbackGuardKernel {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        /// How often the guard turned the microphone down.
        let trips = Atomic<Int>(0)
        /// How many of these trips the user has answered.
        let answers = Atomic<Int>(0)
        let isBypassed = Atomic<Bool>(false)
    }

    private let controls: UnsafePointer<Controls>
    private var detector: FeedbackDetector
    private var duck: Ramp

    init(controls: UnsafePointer<Controls>, sampleRate: Int) {
        unsafe self.controls = controls
        detector = FeedbackDetector(sampleRate: sampleRate)
        duck = Ramp(at: 1, length: RampClock.parameterLength(sampleRate: sampleRate))
    }

    @_noLocks mutating func reset() {
        detector.reset()
        _ = follow()
        duck.end()
    }

    /// Aims at the gain that holds now. Returns how often the guard has tripped when it listens, and
    /// nil while it holds the microphone down or is bypassed.
    @inline(__always) @_noLocks private mutating func follow() -> Int? {
        let answers = unsafe controls.pointee.answers.load(ordering: .relaxed)
        // Read in every slice: the control thread may have tripped the guard (`trip`).
        let trips = unsafe controls.pointee.trips.load(ordering: .relaxed)
        let isBypassed = unsafe controls.pointee.isBypassed.load(ordering: .relaxed)
        duck.aim(at: trips > answers && !isBypassed ? 0.1 : 1)
        return trips == answers && !isBypassed ? trips : nil
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (out, count) = unsafe (outputs[0], slice.count)
        if let trips = follow(), let frame = unsafe findFeedback(slice, inputs) {
            unsafe controls.pointee.trips.store(trips &+ 1, ordering: .relaxed)
            duck.aim(at: 0.1, delay: frame)
        }
        out.isAtRest = duck.isUnity
        if !out.isAtRest {
            let gains = unsafe out.gains
            for i in 0..<count { unsafe gains[i] = duck.value(at: i) }
        }
        duck.advance(count)
    }

    /// The frame of the slice at which feedback is certain, or nil.
    @_noLocks private mutating func findFeedback(_ slice: Slice, _ inputs: Buses) -> Int? {
        let curve = inputs[0]
        guard !curve.isAtRest,
            unsafe anyBelow(FeedbackDetector.threshold, in: curve.gains, count: slice.count)
        else {
            detector.reset()
            return nil
        }
        var detector = detector
        defer { self.detector = detector }
        for i in unsafe 0..<slice.count where unsafe detector.suspects(gain: curve.gains[i]) {
            var others: Float = 0
            for k in 2..<max(inputs.count, 2) { others += power(inputs[k], at: i) }
            if detector.addSuspect(mic: power(inputs[1], at: i), others: others) {
                return i
            }
        }
        return nil
    }

    /// A bus's power in one frame.
    @_noLocks private func power(_ bus: Bus, at frame: Int) -> Float {
        let left = unsafe bus.stereo.left[frame]
        let right = unsafe bus.stereo.right[frame]
        return left * left + right * right
    }
}
