#if Speech
import Synchronization

/// Hands the microphone and the reference to the voice processor's thread, and plays what that
/// thread makes of them, a constant number of frames later.
///
/// Input 0: the microphone, 1 or 2 channels. Input 1: the reference. Output 0: as many channels as
/// the microphone has. Frames are numbered here: what begins anew has numbers far behind all others,
/// which tells the thread to begin anew, too.
@safe struct VoiceKernel {
    /// A beginning has a number that is a multiple of this.
    private static var stride: Int { @_noLocks get { 1 << 20 } }

    private let feed: UnsafePointer<TapRing>
    private let results: UnsafePointer<VoiceRing>
    private let echoCancellation, noiseReduction, gainControl: RampedParameter
    /// In seconds.
    private let referenceDelay: RampedParameter
    private let parameters: ParameterRamps
    /// How many frames after a frame of the microphone the thread's frame of that number is played.
    private let delay: Int
    /// The number of the next frame, and of the first since the beginning.
    private var position = 0
    private var beginning = 0
    /// The graph's frame that follows the last slice; another one is a beginning.
    private var nextFrame = -1
    /// 1 while frames are there in time; 0 from 5 ms after the first that was late.
    private var presence: Ramp
    /// The last frame before the frames were late.
    private var held = SIMD2<Float>.zero
    /// The last frame that was played, and the last one before the beginning.
    private var last = SIMD2<Float>.zero
    private var ended = SIMD2<Float>.zero
    /// From 1 at a beginning to 0 within 5 ms, in which `ended` fades out.
    private var ending: Ramp
    /// Whether the thread has lost frames of the last slice.
    private var hasLost = false

    init(
        _ made: Rendering, feed: UnsafePointer<TapRing>, results: UnsafePointer<VoiceRing>,
        delay: Int
    ) {
        unsafe self.feed = feed
        unsafe self.results = results
        (echoCancellation, noiseReduction) = (made[.echoCancellation], made[.noiseReduction])
        (gainControl, referenceDelay) = (made[.gainControl], made[.referenceDelay])
        parameters = made.ramps
        self.delay = delay
        let length = RampClock.declickLength(sampleRate: made.sampleRate)
        presence = Ramp(at: 1, length: length)
        // It is over when the first frame is there.
        ending = Ramp(at: 0, length: min(length, Int32(clamping: delay)))
    }

    /// Waits until the thread has made all that it can of what was rendered, or until `end`. Blocks.
    func wait(until limit: Supply.Limit) -> Bool {
        unsafe results.pointee.supply.wait(until: limit) { unsafe feed.pointee.isEmpty() }
    }

    @_noLocks private mutating func reset() {
        parameters.reset()
        nextFrame = -1
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        let count = unsafe slice.count
        let isNext = unsafe slice.frame == nextFrame
        if !isNext || hasLost { begin(after: isNext ? last : .zero) }
        unsafe nextFrame = slice.frame + count
        parameters.take()
        let isTaken = unsafe feed.pointee.push(
            inputs, frame: position, count: count,
            values: values(channelCount: inputs[0].channelCount))
        unsafe play(to: outputs[0].stereo, count: count)
        outputs[0].isAtRest = false
        position += count
        // The thread has lost frames, and begins anew.
        hasLost = !isTaken
    }

    /// Begins anew, after a frame that was played right before, or silence.
    @_noLocks private mutating func begin(after frame: SIMD2<Float>) {
        position = (position / Self.stride + 1) * Self.stride
        beginning = position
        ended = frame
        ending = Ramp(from: 1, to: 0, length: ending.length)
        // What was late before is of no account.
        presence = Ramp(at: 1, length: presence.length)
        held = .zero
    }

    /// What the thread is to do, with every slice, so that a change takes effect at the same frame
    /// whatever the driver's periods.
    @_noLocks private func values(channelCount: Int) -> SIMD8<Float> {
        var values = SIMD8<Float>()
        values[0] = echoCancellation.target
        values[1] = noiseReduction.target
        values[2] = gainControl.target
        values[3] = referenceDelay.target
        values[4] = Float(channelCount)
        return values
    }

    @_noLocks private mutating func play(to out: StereoSamples, count: Int) {
        let first = position - delay
        let silent = min(max(beginning - first, 0), count)
        // Both sides of a mono bus are its one channel, whose frames are on the left.
        let (left, right) = unsafe (out.left, out.right)
        for i in 0..<silent {
            last = ended * ending.value(at: i)
            unsafe right[i] = last.y
            unsafe left[i] = last.x
        }
        ending.advance(silent)
        guard silent < count else { return }
        let isThere = unsafe results.pointee.written.load(ordering: .acquiring) >= first + count
        if !isThere {
            let late = unsafe results.pointee.late.load(ordering: .relaxed)
            unsafe results.pointee.late.store(late &+ count &- silent, ordering: .relaxed)
        }
        // Once frames were late the fade goes to its end.
        presence.aim(at: isThere && (presence.target == 1 || presence.isSilent) ? 1 : 0)
        for i in silent..<count {
            if presence.target == 1 { held = unsafe results.pointee[first + i] }
            last = held * presence.value(at: i - silent)
            unsafe right[i] = last.y
            unsafe left[i] = last.x
        }
        presence.advance(count - silent)
    }
}
#endif
