/// How much of a level a compressor takes away: nothing below the threshold, above it all but
/// 1/ratio, and in the knee around it a parabola from one to the other (Giannoulis, Massberg, Reiss,
/// 2012, equation 4). In factors of 2, as `BinaryLogarithm`.
struct CompressorCurve: BitwiseCopyable {
    private let threshold: Float
    private let slope: Float
    private let halfKnee: Float
    /// 1/(2·knee); 0 without a knee.
    private let bend: Float

    /// - Parameters:
    ///   - threshold: in factors of 2; 0 is full scale.
    ///   - slope: 1 − 1/ratio, 0…1.
    ///   - knee: the width of the knee, half of it on either side, in factors of 2; 0 or more.
    @inline(__always) @_noLocks init(threshold: Float, slope: Float, knee: Float) {
        self.threshold = threshold
        self.slope = slope
        halfKnee = knee / 2
        bend = knee > 0 ? 0.5 / knee : 0
    }

    /// Replaces each of `count` levels, linear, 0 or more, by what is taken away of it, 0 or more.
    @_noLocks func process(_ levels: Samples, count: Int) {
        let (threshold, slope) = (threshold, slope)
        let (halfKnee, bend) = (halfKnee, bend)
        for i in 0..<count {
            // Below −144 dBFS there is nothing to be taken away.
            let level = unsafe levels[i] > 0x1p-24 ? levels[i] : 0x1p-24
            let over = BinaryLogarithm.of(level) - threshold
            let entered = over + halfKnee > 0 ? over + halfKnee : 0
            let inside = entered < 2 * halfKnee ? entered : 2 * halfKnee
            let beyond = over - halfKnee > 0 ? over - halfKnee : 0
            unsafe levels[i] = slope * (inside * inside * bend + beyond)
        }
    }
}
