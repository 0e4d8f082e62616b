#if Speech
import CRealtime
import Synchronization
import SystemSupport

/// The thread of a voice processor: takes the microphone and the reference out of a ring, and puts
/// what libspeexdsp makes of them into another.
@safe final class VoiceWorker: @unchecked Sendable {
    // Safety: who uses what.
    //   feed, results              as these rings say: the worker's thread is their other end
    //   isStopped, the two flags   any thread
    //   all others                 the worker's thread alone

    /// The sample rates, in Hz, that libspeexdsp works well at: at 96 kHz its canceller would take 5 dB
    /// of a voice's low tones away.
    static let rates = 8000...48_000
    /// The longest delay of the reference, in seconds.
    static let longestDelay = 1.0
    /// How much softer the reference is inside, so that a song of up to twice full scale is not
    /// clipped.
    private static let headroom: Float = 0.5

    let feed = Shared(TapRing(channelCount: 4, slices: 512))
    let results: Shared<VoiceRing>
    private let sampleRate: Int
    private let frame: Int
    private let (demand, arrival): (EventFlag, EventFlag)
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
    ///
    /// Nil when the process has no descriptor left.
    init?(sampleRate: Int, frame: Int, delay: Int) {
        guard let demand = EventFlag(), let arrival = EventFlag() else { return nil }
        (self.demand, self.arrival) = (demand, arrival)
        self.sampleRate = sampleRate
        self.frame = frame
        results = Shared(
            VoiceRing(
                reach: delay + 1024, demand: demand.descriptor, arrival: arrival.descriptor),
            keeping: demand, arrival)
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
                idleTurns = drain() ? 0 : idleTurns + 1
                unsafe results.pointer.pointee.supply.signal()
                _ = demand.wait(milliseconds: idleTurns < 100 ? 1 : 5)
                demand.clear()
            }
        } == 0
    }

    /// Ends the thread.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        demand.set()
    }

    /// Handles all slices in the ring; returns whether there were any.
    private func drain() -> Bool {
        var hasFound = false
        while let record = unsafe feed.pointer.pointee.first() {
            hasFound = true
            handle(record)
            unsafe feed.pointer.pointee.pop()
        }
        return hasFound
    }

    private func handle(_ record: TapRing.Record) {
        if record.frame != nextNumber { begin(at: record.frame) }
        var done = 0
        while done < record.count {
            let n = min(record.count - done, frame - microphone[0].count)
            for channel in 0..<2 {
                let samples = unsafe feed.pointer.pointee.samples(channel: channel)
                for i in 0..<n { unsafe microphone[channel].append(samples[done + i]) }
            }
            let left = unsafe feed.pointer.pointee.samples(channel: 2)
            let right = unsafe feed.pointer.pointee.samples(channel: 3)
            for i in 0..<n {
                reference[(nextNumber + i) & (reference.count - 1)] =
                    unsafe SIMD2(left[done + i], right[done + i])
            }
            nextNumber += n
            done += n
            if microphone[0].count == frame { process(record.values) }
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
        takeReference(
            from: first, delay: Int((Double(values[3]) * Double(sampleRate)).rounded()))
        var processed = microphone.prefix(count).map { $0.map { Self.fixed($0) } }
        for (i, channel) in channels.prefix(count).enumerated() {
            channel.process(&processed[i], reference: fixedReference, settings)
        }
        for i in 0..<frame {
            let pair = SIMD2(Float(processed[0][i]), Float(processed[count - 1][i])) / 32768
            unsafe results.pointer.pointee.put(pair, number: first + i)
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
#endif
