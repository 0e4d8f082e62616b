/// Holds both channels, linked, under a ceiling without adding latency.
///
/// Per frame m = max|x|; t = m > C ? C/m : 1; g = min(t, g + 1/(0.2·rate));
/// y = g < 1 ? clamp(x·g, −C, C) : x. So |y| ≤ C, and y is x, bit for bit, while g is 1.
struct Limiter: BitwiseCopyable {
    /// Gained back per frame: from silence to 1 in 0.2 s.
    private let recovery: Float
    private(set) var gain: Float = 1

    init(sampleRate: Int) { recovery = Float(1 / (0.2 * Double(sampleRate))) }

    /// Limits `count` frames to ±`ceiling` and writes each frame's gain to `curve`.
    ///
    /// - Returns: false when nothing was to do; `curve` is untouched then.
    @_noLocks mutating func process(
        _ samples: StereoSamples, ceiling: Float, curve: Samples, count: Int
    ) -> Bool {
        let (left, right) = unsafe (samples.left, samples.right)
        if gain == 1, unsafe !anyExceeds(ceiling, in: left, count: count),
            unsafe !anyExceeds(ceiling, in: right, count: count)
        {
            return false
        }
        let isStereo = unsafe !samples.isMono
        let recovery = recovery
        var g = gain
        for i in 0..<count {
            let (l, r) = unsafe (left[i], right[i])
            let peak = max(abs(l), abs(r))
            g = min(peak > ceiling ? ceiling / peak : 1, g + recovery)
            unsafe curve[i] = g
            if g < 1 {
                unsafe left[i] = min(max(l * g, -ceiling), ceiling)
                if isStereo { unsafe right[i] = min(max(r * g, -ceiling), ceiling) }
            }
        }
        gain = g
        return true
    }
}
