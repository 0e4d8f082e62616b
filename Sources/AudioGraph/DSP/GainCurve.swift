/// Gains for each frame of a slice, as the exponents of 2.
enum GainCurve {
    /// Multiplies each frame of both channels by 2^(`offset` − `reductions`), and by exactly 1 where
    /// that is 0.
    @_noLocks static func apply(
        _ reductions: Samples, offset: Float, to samples: StereoSamples, count: Int
    ) {
        for i in 0..<count {
            unsafe reductions[i] = BinaryLogarithm.power(offset - reductions[i])
        }
        unsafe multiplyChannel(samples.left, by: reductions, count: count)
        if unsafe !samples.isMono {
            unsafe multiplyChannel(samples.right, by: reductions, count: count)
        }
    }
}
