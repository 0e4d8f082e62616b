#if Speech
import CSpeexdsp

/// The echo canceller, noise reduction and automatic gain of one microphone channel, by libspeexdsp.
///
/// Belongs to one thread. libspeexdsp computes with 16-bit samples, may print, and allocates.
@safe final class SpeechChannel {
    /// What is done with a frame.
    struct Settings: Equatable {
        var cancelsEcho = true
        /// By how much noise is reduced, in dB; 0: not at all.
        var noiseReduction: Float = 0
        var controlsGain = false
    }

    /// Channels of the reference.
    static let speakers = 2
    /// How long an echo may last, in seconds: 200 ms, and some for what the driver reports wrongly.
    private static let tail = 0.25

    /// By how much the rest of an echo is reduced while somebody sings, in dB: not at all, for it
    /// would take 2 dB of the voice away with it.
    private static let suppression: Int32 = 0

    private let echo: OpaquePointer
    private let preprocessor: OpaquePointer
    private let frame: Int
    private var settings: Settings?
    private var cancelled: [Int16]

    /// Nil when there is no memory.
    init?(sampleRate: Int, frame: Int) {
        let tail = Int32(Self.tail * Double(sampleRate))
        guard
            let echo = unsafe speex_echo_state_init_mc(
                Int32(frame), tail, 1, Int32(Self.speakers))
        else { return nil }
        guard
            let preprocessor = unsafe speex_preprocess_state_init(Int32(frame), Int32(sampleRate))
        else {
            unsafe speex_echo_state_destroy(echo)
            return nil
        }
        unsafe self.echo = echo
        unsafe self.preprocessor = preprocessor
        self.frame = frame
        cancelled = [Int16](repeating: 0, count: frame)
        var rate = Int32(sampleRate)
        unsafe speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &rate)
    }

    deinit {
        unsafe speex_echo_state_destroy(echo)
        unsafe speex_preprocess_state_destroy(preprocessor)
    }

    /// Processes one frame of the microphone in place; it comes back one frame later.
    ///
    /// - Parameter reference: what the loudspeakers play, interleaved.
    func process(_ microphone: inout [Int16], reference: [Int16], _ settings: Settings) {
        let cancelled = self.settings?.cancelsEcho ?? settings.cancelsEcho
        if settings != self.settings { set(settings) }
        if cancelled || settings.cancelsEcho {
            unsafe speex_echo_cancellation(echo, microphone, reference, &self.cancelled)
            let (start, end): (Float, Float) = (cancelled ? 1 : 0, settings.cancelsEcho ? 1 : 0)
            for i in 0..<frame {
                let part = start + (end - start) * Float(i) / Float(frame)
                let (dry, wet) = (Float(microphone[i]), Float(self.cancelled[i]))
                microphone[i] = Int16((dry + (wet - dry) * part).rounded())
            }
        }
        unsafe speex_preprocess_run(preprocessor, &microphone)
    }

    private func set(_ settings: Settings) {
        self.settings = settings
        control(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, Self.suppression)
        // Without noise reduction it still takes away what the canceller has left of an echo.
        control(
            SPEEX_PREPROCESS_SET_DENOISE,
            settings.cancelsEcho || settings.noiseReduction > 0 ? 1 : 0)
        control(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, -Int32(settings.noiseReduction.rounded()))
        control(SPEEX_PREPROCESS_SET_AGC, settings.controlsGain ? 1 : 0)
        let state = unsafe settings.cancelsEcho ? UnsafeMutableRawPointer(echo) : nil
        unsafe speex_preprocess_ctl(preprocessor, SPEEX_PREPROCESS_SET_ECHO_STATE, state)
    }

    private func control(_ request: Int32, _ value: Int32) {
        var value = value
        unsafe speex_preprocess_ctl(preprocessor, request, &value)
    }
}
#endif
