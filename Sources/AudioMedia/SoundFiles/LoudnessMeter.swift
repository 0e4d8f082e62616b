import CEbur128
import Glibc

/// Measures the loudness of stereo sound by libebur128 (EBU R 128, ITU-R BS.1770-4), and its true
/// peak. For one thread, never the realtime one.
@safe package final class LoudnessMeter {
    /// What was measured so far. Nil: too little sound has come for that value, or it is too quiet.
    package struct Reading: Sendable, Equatable {
        /// Loudness of the last 0.4 s, in LUFS.
        package var momentary: Double?
        /// Loudness of the last 3 s, in LUFS.
        package var shortTerm: Double?
        /// Loudness of everything, in LUFS, without the pauses in it; nil below −70 LUFS.
        package var integrated: Double?
        /// The highest peak between the samples of either side, in dBTP; nil for silence.
        package var truePeak: Double?

        package init(
            momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil,
            truePeak: Double? = nil
        ) {
            (self.momentary, self.shortTerm) = (momentary, shortTerm)
            (self.integrated, self.truePeak) = (integrated, truePeak)
        }
    }

    private var sampleRate: Int
    private var state: UnsafeMutablePointer<ebur128_state>?
    private let peak: TruePeak
    /// Frames since the last change of the rate.
    private var frameCount: Int64 = 0
    /// Left, right, left, right, …: the last frames that were added before, as many as `TruePeak` looks back,
    /// and then the newest.
    private var samples = [Float](repeating: 0, count: 2 * TruePeak.reach)

    /// - Parameter sampleRate: in Hz, 16…2822400, which is what libebur128 takes.
    package init(sampleRate: Int) {
        self.sampleRate = sampleRate
        // With a histogram a sound of any length takes the same memory; it has steps of 0.1 LU, so a
        // steady tone may be 0.05 LU beside its loudness.
        unsafe state = Self.makeState(
            sampleRate, EBUR128_MODE_S, EBUR128_MODE_I, EBUR128_MODE_HISTOGRAM)
        peak = TruePeak(sampleRate: sampleRate)
    }

    fileprivate static func makeState(
        _ sampleRate: Int, _ modes: mode...
    ) -> UnsafeMutablePointer<ebur128_state> {
        let mode = modes.reduce(0) { $0 | $1.rawValue }
        guard let state = unsafe ebur128_init(2, UInt(sampleRate), Int32(mode)) else {
            preconditionFailure("libebur128 takes 16…2822400 Hz, and needs memory")
        }
        return unsafe state
    }

    deinit { unsafe ebur128_destroy(&state) }

    /// Goes on with sound of another rate: what was integrated, and the true peak, stay.
    package func change(sampleRate: Int) {
        guard sampleRate != self.sampleRate else { return }
        let code = unsafe ebur128_change_parameters(state, 2, UInt(sampleRate))
        precondition(code == Int32(EBUR128_SUCCESS.rawValue), "as at the start")
        peak.change(sampleRate: sampleRate)
        samples = [Float](repeating: 0, count: 2 * TruePeak.reach)
        (self.sampleRate, frameCount) = (sampleRate, 0)
    }

    /// Adds frames: two lists of equally many finite samples, left and right.
    package func add(_ sides: [[Float]]) {
        let count = sides[0].count
        precondition(sides.count == 2 && sides[1].count == count, "two sides of the same length")
        guard count > 0 else { return }
        let start = 2 * TruePeak.reach
        samples.removeFirst(samples.count - start)
        samples.append(contentsOf: repeatElement(0, count: 2 * count))
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            // The compiler makes vector code of this.
            unsafe sides[0].withUnsafeBufferPointer { left in
                unsafe sides[1].withUnsafeBufferPointer { right in
                    for i in 0..<count {
                        unsafe samples[start + 2 * i] = left[i]
                        unsafe samples[start + 2 * i + 1] = right[i]
                    }
                }
            }
            let new = unsafe samples.baseAddress! + start
            // libebur128 filters one side after the other, and each frame waits for the one before. Of few
            // frames the processor does both sides at once: 8 are the quickest, by a quarter.
            for done in stride(from: 0, to: count, by: 8) {
                _ = unsafe ebur128_add_frames_float(state, new + 2 * done, min(8, count - done))
            }
            unsafe peak.add(new, count: count)
        }
        frameCount += Int64(count)
    }

    package var reading: Reading {
        var reading = Reading()
        if has(seconds: 0.4) { reading.momentary = unsafe loudness(ebur128_loudness_momentary) }
        if has(seconds: 3) { reading.shortTerm = unsafe loudness(ebur128_loudness_shortterm) }
        reading.integrated = unsafe loudness(ebur128_loudness_global)
        reading.truePeak = peak.highest > 0 ? 20 * log10(peak.highest) : nil
        return reading
    }

    private func has(seconds: Double) -> Bool {
        Double(frameCount) >= seconds * Double(sampleRate)
    }

    private func loudness(
        _ measure: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double? {
        var value = -Double.infinity
        _ = unsafe measure(state, &value)
        return value.isFinite ? value : nil
    }
}

/// Finds the highest true peak of either side, by libebur128. Its interpolation would take most of the
/// time of a meter: it gets the frames alone around which a new peak is possible, about 1 in 100.
@safe private final class TruePeak {
    /// How many frames before a frame count for the values that libebur128 interpolates with it: with its 49
    /// coefficients 11 below 96 kHz, and 23 from there on.
    static let reach = 24
    /// Frames that are looked at together.
    private static let chunk = 64

    /// The highest peak so far, linear.
    private(set) var highest = 0.0
    private let state: UnsafeMutablePointer<ebur128_state>

    init(sampleRate: Int) {
        unsafe state = LoudnessMeter.makeState(sampleRate, EBUR128_MODE_TRUE_PEAK)
        // Without channels there is no loudness to measure.
        for channel in 0..<2 {
            _ = unsafe ebur128_set_channel(state, UInt32(channel), Int32(EBUR128_UNUSED.rawValue))
        }
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = unsafe state
        unsafe ebur128_destroy(&state)
    }

    func change(sampleRate: Int) {
        _ = unsafe ebur128_change_parameters(state, 2, UInt(sampleRate))
    }

    /// - Parameter samples: frames of both sides; those before them, `reach` frames, stand before it.
    func add(_ samples: UnsafePointer<Float>, count: Int) {
        var isFed = false
        for start in stride(from: 0, to: count, by: Self.chunk) {
            let length = min(Self.chunk, count - start)
            let first = unsafe samples + 2 * start
            let before = unsafe first - 2 * Self.reach
            let limit = unsafe Self.limit(before, count: Self.reach + length)
            let isNeeded = Double(limit) > highest
            defer { isFed = isNeeded }
            guard isNeeded else { continue }
            if !isFed { _ = unsafe ebur128_add_frames_float(state, before, Self.reach) }
            _ = unsafe ebur128_add_frames_float(state, first, length)
            for channel in 0..<2 {
                var peak = 0.0
                _ = unsafe ebur128_prev_true_peak(state, UInt32(channel), &peak)
                highest = max(highest, peak)
            }
        }
    }

    /// No value between these frames, of either side, is above this. Interpolated sound differs from the straight
    /// line from sample to sample by 0.42 of the largest second difference at most (0.302 below 96 kHz, 0.417
    /// from there on), and libebur128 makes that line 1.001 times as high.
    private static func limit(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var (highest, sharpest) = (SIMD8<Float>(), SIMD8<Float>())
        for i in stride(from: 4, to: 2 * count, by: 8) {
            // The last eight may begin among those before.
            let here = unsafe UnsafeRawPointer(samples + min(i, 2 * count - 8))
            let frames = unsafe here.loadUnaligned(as: SIMD8<Float>.self)
            let before = unsafe (here - 8).loadUnaligned(as: SIMD8<Float>.self)
            let earlier = unsafe (here - 16).loadUnaligned(as: SIMD8<Float>.self)
            raise(&highest, to: frames)
            raise(&sharpest, to: (frames - before) - (before - earlier))
        }
        return 1.002 * highest.max() + 0.42 * sharpest.max()
    }

    /// Raises each number to the magnitude of the other.
    @inline(__always)
    private static func raise(_ highest: inout SIMD8<Float>, to values: SIMD8<Float>) {
        let magnitudes = values.replacing(with: -values, where: values .< 0)
        highest.replace(with: magnitudes, where: magnitudes .> highest)
    }
}
