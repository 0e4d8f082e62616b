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
    /// Frames since the last change of the rate.
    private var frameCount: Int64 = 0
    private var samples: [Float] = []

    /// - Parameter sampleRate: in Hz, 16…2822400, which is what libebur128 takes.
    package init(sampleRate: Int) {
        self.sampleRate = sampleRate
        // With a histogram a sound of any length takes the same memory; it has steps of 0.1 LU, so a
        // steady tone may be 0.05 LU beside its loudness.
        let modes = [
            EBUR128_MODE_S, EBUR128_MODE_I, EBUR128_MODE_TRUE_PEAK, EBUR128_MODE_HISTOGRAM,
        ]
        let mode = modes.reduce(0) { $0 | $1.rawValue }
        unsafe state = ebur128_init(2, UInt(sampleRate), Int32(mode))
        precondition(unsafe state != nil, "libebur128 takes 16…2822400 Hz, and needs memory")
    }

    deinit { unsafe ebur128_destroy(&state) }

    /// Goes on with sound of another rate: what was integrated, and the true peak, stay.
    package func change(sampleRate: Int) {
        guard sampleRate != self.sampleRate else { return }
        let code = unsafe ebur128_change_parameters(state, 2, UInt(sampleRate))
        precondition(code == Int32(EBUR128_SUCCESS.rawValue), "as at the start")
        (self.sampleRate, frameCount) = (sampleRate, 0)
    }

    /// Adds frames: two lists of equally many finite samples, left and right.
    package func add(_ sides: [[Float]]) {
        let count = sides[0].count
        precondition(sides.count == 2 && sides[1].count == count, "two sides of the same length")
        guard count > 0 else { return }
        samples.removeAll(keepingCapacity: true)
        for frame in 0..<count {
            samples.append(sides[0][frame])
            samples.append(sides[1][frame])
        }
        _ = unsafe ebur128_add_frames_float(state, samples, count)
        frameCount += Int64(count)
    }

    package var reading: Reading {
        var reading = Reading()
        if has(seconds: 0.4) { reading.momentary = unsafe loudness(ebur128_loudness_momentary) }
        if has(seconds: 3) { reading.shortTerm = unsafe loudness(ebur128_loudness_shortterm) }
        reading.integrated = unsafe loudness(ebur128_loudness_global)
        let peak = (0..<2).map { channel in
            var peak = 0.0
            _ = unsafe ebur128_true_peak(state, UInt32(channel), &peak)
            return peak
        }.max()!
        reading.truePeak = peak > 0 ? 20 * log10(peak) : nil
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
