#if Conversion
import CZita
#endif

/// Converts a stream to another rate, layout and choice of channels: libzita-resampler, and at
/// equal rates, the only ones without the trait `Conversion`, a copy. The output is the same, bit
/// for bit, whatever the pieces that the input comes in.
///
/// Frame k of the output lies at frame k·from/to of the input, exactly: positions are counted in
/// whole numbers, so that no error grows. For one thread.
@safe struct RateConverter: ~Copyable {
    // Safety: only the thread that converts uses it, and whoever makes and frees it.

    /// Whether an output frame waits for the input that the filter needs after it.
    enum Timing {
        /// The output begins with the input's first frame, and waits.
        case aligned
        /// The output comes at once, and begins with `halfLength` frames of silence.
        case immediate
    }

    /// Half the filter's length in frames of the lower rate. With 64, a sine of 1 kHz from 44.1 to
    /// 48 kHz comes out 144 dB above the error, one of 15 kHz 124 dB (libzita's variable resampler:
    /// 136 and 90 dB).
    private static var quality: Int32 { 64 }
    /// Frames that are converted at once.
    private static var chunk: Int { @_noLocks get { 256 } }

    /// Half the filter's length, in frames of the input; 0 at equal rates.
    let halfLength: Int
    let channelCount: Int
    private let zita: OpaquePointer?
    /// The ratio of the rates, reduced.
    private let (from, to): (Int, Int)
    private let timing: Timing
    /// The input channel of every output channel.
    private let map: UnsafeMutablePointer<Int>
    private let scratch: UnsafeMutablePointer<Float>
    /// Frames taken and made, less whole periods of `from` and `to` frames.
    private var (taken, made) = (0, 0)

    /// Nil when libzita does not take the ratio, or there is no memory. Control thread.
    ///
    /// - Parameters:
    ///   - rates: in Hz, at most 2²⁴ each; the larger at most eight times the smaller.
    ///   - map: for each output channel, 1…8, an input channel.
    init?(from: Int, to: Int, map: [Int], timing: Timing) {
        channelCount = map.count
        self.timing = timing
        if from == to {
            unsafe zita = nil
            halfLength = 0
        } else {
            #if Conversion
            guard
                let made = unsafe czita_create(
                    Int32(from), Int32(to), Int32(map.count), Self.quality)
            else { return nil }
            unsafe zita = made
            halfLength = unsafe Int(czita_half_length(made))
            #else
            return nil
            #endif
        }
        var (a, b) = (from, to)
        while b != 0 { (a, b) = (b, a % b) }
        self.from = from / a
        self.to = to / a
        unsafe self.map = .allocate(capacity: map.count)
        for (index, channel) in map.enumerated() { unsafe self.map[index] = channel }
        unsafe scratch = .allocate(capacity: 2 * Self.chunk * map.count)
        unsafe scratch.initialize(repeating: 0, count: 2 * Self.chunk * map.count)
        reset()
    }

    deinit {
        #if Conversion
        if let zita = unsafe zita { unsafe czita_destroy(zita) }
        #endif
        unsafe map.deallocate()
        unsafe scratch.deallocate()
    }

    /// Forgets the input.
    @_noLocks mutating func reset() {
        (taken, made) = (0, 0)
        #if Conversion
        guard let zita = unsafe zita else { return }
        let zeros = timing == .aligned ? halfLength - 1 : 2 * halfLength - 1
        unsafe czita_begin(zita, Int32(truncatingIfNeeded: zeros))
        #endif
    }

    /// Input frames that have to be there beyond the place of an output frame.
    private var wait: Int { @_noLocks get { timing == .aligned ? halfLength : 0 } }

    /// How many input frames have to be taken before `count` more frames, at least 1, can be made.
    @_noLocks func needed(for count: Int) -> Int {
        max(0, (made &+ count &- 1) * from / to &+ wait &+ 1 &- taken)
    }

    /// How many frames can be made when `count` more input frames are there.
    @_noLocks func possible(with count: Int) -> Int {
        let end = taken &+ count &- wait
        return end <= 0 ? 0 : max(0, (end * to &+ from &- 1) / from &- made)
    }

    /// Takes up to `count` frames of `input`, from frame `start` on (nil: silence), and writes up to
    /// `capacity` frames to `output`, from frame `offset` on. Ends when either is used up.
    @_noLocks mutating func process(
        _ input: FrameMemory?, from start: Int, count: Int,
        to output: FrameMemory, at offset: Int, capacity: Int
    ) -> (used: Int, made: Int) {
        var (used, written) = (0, 0)
        while written < capacity {
            let wanted = min(Self.chunk, capacity - written)
            let n = min(min(Self.chunk, count - used), needed(for: wanted))
            if let input {
                for channel in 0..<channelCount {
                    unsafe input.read(
                        channel: map[channel], from: start + used, count: n,
                        to: scratch + channel, stride: channelCount)
                }
            }
            let done = run(isSilence: input == nil, count: n, wanted: wanted)
            for channel in 0..<channelCount {
                unsafe output.write(
                    channel: channel, at: offset + written, count: done.made,
                    from: results + channel, stride: channelCount)
            }
            used += done.used
            written += done.made
            note(done)
            if done.used == 0, done.made == 0 { break }
        }
        return (used, written)
    }

    /// Where the converted frames are: behind those that are to be converted.
    private var results: UnsafeMutablePointer<Float> {
        @_noLocks get {
            unsafe zita == nil ? scratch : scratch + Self.chunk * channelCount
        }
    }

    /// Converts what lies in the scratch memory.
    @_noLocks private mutating func run(
        isSilence: Bool, count: Int, wanted: Int
    ) -> (used: Int, made: Int) {
        #if Conversion
        if let zita = unsafe zita {
            let done = unsafe czita_process(
                zita, isSilence ? nil : UnsafePointer(scratch), Int32(truncatingIfNeeded: count),
                results, Int32(truncatingIfNeeded: wanted))
            return (Int(done.used), Int(done.made))
        }
        #endif
        if isSilence { unsafe clearChannel(scratch, count: count * channelCount) }
        return (count, count)
    }

    @_noLocks private mutating func note(_ done: (used: Int, made: Int)) {
        taken &+= done.used
        made &+= done.made
        // Whole periods of both are forgotten, so that the numbers stay small.
        let periods = min(taken / from, made / to)
        taken &-= periods &* from
        made &-= periods &* to
    }
}
