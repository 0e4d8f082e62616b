import Synchronization

/// Turns the microphone down to −20 dB when it feeds back, until the user turns it up again.
@safe struct FeedbackGuardKernel {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        /// How often the guard turned the microphone down.
        let trips = Atomic<Int>(0)
        /// How many of these trips the user has answered.
        let answers = Atomic<Int>(0)
    }

    /// What the guard reads of a slice: the limiter's gains and the mixer's inputs.
    @unsafe struct View {
        let limiter: UnsafeMutablePointer<LimiterKernel>
        let curve: Samples
        let inputs: UnsafeBufferPointer<MixerKernel.Input>
        /// Index of the microphone in `inputs`.
        let mic: Int
    }

    private let controls: UnsafePointer<Controls>
    private var detector: FeedbackDetector
    /// Frames from a trip to the start of its ramp: the longest slice, so that the ramp begins at
    /// the same frame however a cycle is cut into slices.
    private let delay: Int
    private var trips = 0

    init(controls: UnsafePointer<Controls>, sampleRate: Int, maximumFrames: Int) {
        unsafe self.controls = controls
        detector = FeedbackDetector(sampleRate: sampleRate)
        delay = maximumFrames
    }

    @_noLocks mutating func render(_ view: View, count: Int) {
        let mic = unsafe view.inputs[view.mic]
        let answers = unsafe controls.pointee.answers.load(ordering: .relaxed)
        // Read in every slice: the control thread may have tripped the guard (`trip`), and another
        // guard may have held this microphone before.
        trips = unsafe controls.pointee.trips.load(ordering: .relaxed)
        unsafe mic.kernel.pointee.duck(to: trips > answers ? 0.1 : 1, delay: 0)
        guard unsafe view.limiter.pointee.isActive,
            unsafe anyBelow(FeedbackDetector.threshold, in: view.curve, count: count)
        else { return detector.reset() }
        guard trips == answers else { return }
        var detector = detector
        defer { self.detector = detector }
        for i in 0..<count where unsafe detector.suspects(gain: view.curve[i]) {
            var others: Float = 0
            for k in unsafe 0..<view.inputs.count where unsafe k != view.mic {
                others += unsafe power(view.inputs[k], at: i)
            }
            if detector.addSuspect(mic: unsafe power(mic, at: i), others: others) {
                trips &+= 1
                unsafe controls.pointee.trips.store(trips, ordering: .relaxed)
                unsafe mic.kernel.pointee.duck(to: 0.1, delay: delay - (count - i))
                return
            }
        }
    }

    /// A bus's power in one frame after volume and pan: the mean of the source's two sides, times
    /// the power of the bus's gains.
    @_noLocks private func power(_ input: MixerKernel.Input, at frame: Int) -> Float {
        let left = unsafe input.source.left[frame]
        let right = unsafe input.source.right[frame]
        return unsafe (left * left + right * right) / 2 * input.kernel.pointee.power
    }
}
