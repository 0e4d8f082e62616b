/// Notices a loop from the loudspeakers back into the microphone: the limiter reduces by more
/// than 6 dB for 1 s, and over that second the microphone is the larger source.
struct FeedbackDetector: BitwiseCopyable {
    private let window: Int32
    private var frames: Int32 = 0
    private var micEnergy: Float = 0
    private var otherEnergy: Float = 0

    init(sampleRate: Int) { window = Int32(sampleRate) }

    /// Forgets what it has seen, when the limiter is at rest or the warning was answered.
    @_noLocks mutating func reset() {
        frames = 0
        micEnergy = 0
        otherEnergy = 0
    }

    /// Looks at one frame: the limiter's gain and both sources' power after volume and pan.
    ///
    /// - Returns: true on the frame at which the second is full and the microphone is larger.
    @_noLocks mutating func sees(gain: Float, mic: Float, others: Float) -> Bool {
        // 10^(−6/20)
        guard gain < 0.501_187_2 else {
            reset()
            return false
        }
        micEnergy += min(mic, 0x1p40)
        otherEnergy += min(others, 0x1p40)
        frames &+= 1
        guard frames >= window else { return false }
        let isMic = micEnergy > otherEnergy
        reset()
        return isMic
    }
}
