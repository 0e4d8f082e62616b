/// Keeps both channels at or below a ceiling, with one gain for both and without latency.
///
/// Per frame m = max|x|; t = m > C ? C/m : 1; g = min(t, g + 1/(0.2·rate));
/// y = g < 1 ? clamp(x·g, −C, C) : x. So |y| ≤ C, and y is x, bit for bit, while g is 1.
struct Limiter: BitwiseCopyable {
    /// How much the gain recovers per frame: from 0 to 1 in 0.2 s.
    private let recovery: Float
    private(set) var gain: Float = 1

    init(sampleRate: Int) { recovery = Float(1 / (0.2 * Double(sampleRate))) }

    /// Recovers at once.
    @_noLocks mutating func reset() { gain = 1 }

    /// Limits `count` frames to ±`ceiling` and writes each frame's gain to `curve`.
    ///
    /// - Returns: false when no frame needed limiting; `curve` is then not written.
    @_noLocks mutating func process(
        _ samples: StereoSamples, ceiling: Float, curve: Samples, count: Int
    ) -> Bool {
        let (left, right) = unsafe (samples.left, samples.right)
        if gain == 1, unsafe !anyExceeds(ceiling, in: left, count: count),
            unsafe !anyExceeds(ceiling, in: right, count: count)
        {
            return false
        }
        // Three loops: only the middle one depends on the frame before, so the compiler can use
        // vectors in the others. A ternary is a single instruction; min and max, which order equal
        // values, are four.
        for i in 0..<count {
            let (l, r) = unsafe (abs(left[i]), abs(right[i]))
            let peak = l > r ? l : r
            unsafe curve[i] = peak > ceiling ? ceiling / peak : 1
        }
        let recovery = recovery
        var g = gain
        for i in 0..<count {
            let wanted = unsafe curve[i]
            let recovered = g + recovery
            g = wanted < recovered ? wanted : recovered
            unsafe curve[i] = g
        }
        unsafe apply(curve, to: left, ceiling: ceiling, count: count)
        if unsafe !samples.isMono { unsafe apply(curve, to: right, ceiling: ceiling, count: count) }
        gain = g
        return true
    }

    @_noLocks private func apply(
        _ curve: Samples, to samples: Samples, ceiling: Float, count: Int
    ) {
        for i in 0..<count {
            let (x, g) = unsafe (samples[i], curve[i])
            let scaled = x * g
            let above = scaled > -ceiling ? scaled : -ceiling
            let limited = above < ceiling ? above : ceiling
            unsafe samples[i] = g < 1 ? limited : x
        }
    }
}
