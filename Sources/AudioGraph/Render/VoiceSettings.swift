/// What a voice processor is to do, as the render thread passes it on with every slice, so that a
/// change takes effect at the same frame whatever the driver's periods.
@safe struct VoiceSettings: BitwiseCopyable {
    /// The mailboxes of the parameters, one number each.
    @unsafe struct Mailboxes {
        let echoCancellation: UnsafePointer<Mailbox>
        let noiseReduction: UnsafePointer<Mailbox>
        let gainControl: UnsafePointer<Mailbox>
        let referenceDelay: UnsafePointer<Mailbox>
    }

    /// 0 or 1.
    private var echoCancellation: Float = 1
    /// In dB.
    private var noiseReduction: Float = 0
    /// 0 or 1.
    private var gainControl: Float = 0
    /// In seconds.
    private var referenceDelay: Float = 0

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init() {}

    /// Takes what was posted.
    @_noLocks mutating func take(from mailboxes: UnsafePointer<Mailboxes>) {
        unsafe Self.take(mailboxes.pointee.echoCancellation, &echoCancellation)
        unsafe Self.take(mailboxes.pointee.noiseReduction, &noiseReduction)
        unsafe Self.take(mailboxes.pointee.gainControl, &gainControl)
        unsafe Self.take(mailboxes.pointee.referenceDelay, &referenceDelay)
    }

    @_noLocks private static func take(_ mailbox: UnsafePointer<Mailbox>, _ value: inout Float) {
        if let new = unsafe mailbox.pointee.take() { value = unsafe new.floats[0] }
    }

    /// As they are passed on, with the microphone's channels.
    @_noLocks func values(channelCount: Int) -> SIMD8<Float> {
        var values = SIMD8<Float>()
        values[0] = echoCancellation
        values[1] = noiseReduction
        values[2] = gainControl
        values[3] = referenceDelay
        values[4] = Float(channelCount)
        return values
    }
}
