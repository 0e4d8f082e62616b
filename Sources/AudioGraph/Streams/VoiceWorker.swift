#if Speech
import CRealtime
import CSpeexdsp
import Synchronization
import SystemSupport

/// The thread of a voice processor: takes the microphone and the reference out of a ring, and puts
/// what libspeexdsp makes of them into another.
@safe final class VoiceWorker: @unchecked Sendable {
    // Safety: who uses what.
    //   feed, results              as these say: the worker's thread is their other end
    //   isStopped, supply          any thread
    //   all others                 the worker's thread alone

    /// The sample rates, in Hz, that libspeexdsp works well at: at 96 kHz its canceller would take 5 dB
    /// of a voice's low tones away.
    static let rates = 8000...48_000
    /// The longest delay of the reference, in seconds.
    static let longestDelay = 1.0
    /// How much softer the reference is inside, so that a song of up to twice full scale is not
    /// clipped.
    private static let headroom: Float = 0.5

    /// Microphone and reference, as they come.
    let feed = RecorderTape(channelCounts: [2, 2], slices: 512)
    /// Processed frames on their way back, each at the place of its number; `written` is the number
    /// after the last. The frames that the render thread reads lie `delay` behind the newest.
    let results: Shared<FrameRing>
    /// By which a driver waits for the thread.
    let supply = Shared(Supply())
    private let sampleRate: Int
    private let frame: Int
    private let isStopped = Atomic<Bool>(false)

    private var channels: [SpeechChannel] = []
    private var settings = SpeechChannel.Settings()
    /// The number of the next frame that comes.
    private var nextNumber = -1
    /// The frames of the microphone that wait until they are enough.
    private var microphone: [[Float]] = [[], []]
    /// The last frames of the reference, each at its number.
    private var reference: [SIMD2<Float>]
    /// The reference of the frames that are processed, interleaved, with 16 bits.
    private var fixedReference: [Int16]
    /// By how many frames the reference is later, in the frames that were processed last.
    private var referenceDelay = -1

    /// - Parameters:
    ///   - frame: how many frames libspeexdsp processes at once.
    ///   - delay: how many frames after a frame came its result is taken.
    init(sampleRate: Int, frame: Int, delay: Int) {
        self.sampleRate = sampleRate
        self.frame = frame
        results = Shared(FrameRing(channelCounts: [2], capacity: delay + 1024))
        var slots = 1
        while slots < Int(Self.longestDelay * Double(sampleRate)) + 2 * frame { slots *= 2 }
        reference = [SIMD2<Float>](repeating: .zero, count: slots)
        fixedReference = [Int16](repeating: 0, count: 2 * frame)
    }

    /// Starts the thread; false when the system has none left.
    func start() -> Bool {
        DetachedThread.start("voice-processor") { [self] in
            crealtime_flush_denormals()
            // Looks often while frames come: the render thread can wake nobody.
            var idleTurns = 0
            while !isStopped.load(ordering: .acquiring) {
                var hasFound = false
                while feed.read(handle) { hasFound = true }
                idleTurns = hasFound ? 0 : idleTurns + 1
                unsafe supply.pointer.pointee.signal()
                _ = unsafe supply.pointer.pointee.demand?.wait(
                    milliseconds: idleTurns < 100 ? 1 : 5)
                unsafe supply.pointer.pointee.demand?.clear()
            }
        } == 0
    }

    /// Ends the thread.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        unsafe supply.pointer.pointee.demand?.set()
    }

    private func handle(_ piece: RecorderTape.Piece) {
        if piece.frame != nextNumber { begin(at: piece.frame) }
        var done = 0
        while done < piece.frameCount {
            let n = min(piece.frameCount - done, frame - microphone[0].count)
            for channel in 0..<2 {
                microphone[channel] += piece.buses[0][channel][done..<done + n]
            }
            for i in done..<done + n {
                reference[nextNumber & (reference.count - 1)] =
                    SIMD2(piece.buses[1][0][i], piece.buses[1][1][i])
                nextNumber += 1
            }
            done += n
            if microphone[0].count == frame { process(piece.values) }
        }
    }

    /// Forgets everything that came before frame `number`.
    private func begin(at number: Int) {
        nextNumber = number
        channels = []
        microphone = [[], []]
        for i in reference.indices { reference[i] = .zero }
        referenceDelay = -1
    }

    /// Processes the newest `frame` frames.
    private func process(_ values: SIMD8<Float>) {
        let first = nextNumber - frame
        let count = min(max(Int(values[4]), 1), 2)
        while channels.count < count {
            guard let new = SpeechChannel(sampleRate: sampleRate, frame: frame) else { break }
            channels.append(new)
        }
        let settings = SpeechChannel.Settings(
            cancelsEcho: values[0] != 0, noiseReduction: values[1], controlsGain: values[2] != 0)
        takeReference(from: first, delay: Int((Double(values[3]) * Double(sampleRate)).rounded()))
        var processed = microphone.prefix(count).map { $0.map { Self.fixed($0) } }
        for (i, channel) in channels.prefix(count).enumerated() {
            channel.process(&processed[i], reference: fixedReference, settings)
        }
        for (channel, samples) in [processed[0], processed[count - 1]].enumerated() {
            unsafe samples.map { Float($0) / 32768 }.withUnsafeBufferPointer {
                unsafe results.pointer.pointee.write(
                    channel: channel, at: first, count: frame, from: $0.baseAddress!)
            }
        }
        unsafe results.pointer.pointee.written.store(nextNumber, ordering: .releasing)
        for channel in 0..<2 { microphone[channel].removeAll(keepingCapacity: true) }
    }

    /// Takes the reference that belongs to the frames from `first` on. A new delay takes its place
    /// within one frame, without a click.
    private func takeReference(from first: Int, delay: Int) {
        let old = referenceDelay < 0 ? delay : referenceDelay
        referenceDelay = delay
        let mask = reference.count - 1
        for i in 0..<frame {
            let number = first + i
            let now = reference[(number - delay) & mask]
            let before = reference[(number - old) & mask]
            let pair = before + (now - before) * (Float(i) / Float(frame))
            fixedReference[2 * i] = Self.fixed(pair.x * Self.headroom)
            fixedReference[2 * i + 1] = Self.fixed(pair.y * Self.headroom)
        }
    }

    /// A sample with 16 bits: clipped, and 0 where it is no number.
    private static func fixed(_ sample: Float) -> Int16 {
        guard sample.isFinite else { return 0 }
        return Int16((min(max(sample, -1), 32767 / 32768) * 32768).rounded())
    }
}

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
            let echo = unsafe speex_echo_state_init_mc(Int32(frame), tail, 1, Int32(Self.speakers))
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
