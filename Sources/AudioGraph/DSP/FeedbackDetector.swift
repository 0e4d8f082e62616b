/// Notices feedback from the loudspeakers into the microphone: the limiter reduces by more than
/// 6 dB for 1 s, and over that second the microphone is the larger source.
struct FeedbackDetector: BitwiseCopyable {
    /// The limiter's gain below which it reduces by more than 6 dB, 10^(−6/20).
    static var threshold: Float { @_noLocks get { 0.501_187_2 } }

    private let window: Int32
    private var frames: Int32 = 0
    private var micEnergy: Float = 0
    private var otherEnergy: Float = 0

    init(sampleRate: Int) { window = Int32(sampleRate) }

    /// Starts the second anew: the limiter is at rest, or the user has answered the warning.
    @_noLocks mutating func reset() {
        frames = 0
        micEnergy = 0
        otherEnergy = 0
    }

    /// Whether the limiter's gain in a frame is low enough to suspect feedback; if not, the second
    /// starts anew.
    @_noLocks mutating func suspects(gain: Float) -> Bool {
        if gain < Self.threshold { return true }
        reset()
        return false
    }

    /// Adds a suspected frame: the power of the microphone's bus and the summed power of all other
    /// buses, after volume and pan.
    ///
    /// - Returns: true on the frame at which the second is full and the microphone is larger.
    @_noLocks mutating func addSuspect(mic: Float, others: Float) -> Bool {
        micEnergy += min(mic, 0x1p40)
        otherEnergy += min(others, 0x1p40)
        frames &+= 1
        guard frames >= window else { return false }
        let isMic = micEnergy > otherEnergy
        reset()
        return isMic
    }
}
