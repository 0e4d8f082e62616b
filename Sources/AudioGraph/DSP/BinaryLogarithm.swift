/// Logarithms and powers of 2 by series, for levels in decibels on the render thread: plain
/// arithmetic without a branch, so that the compiler can use vectors. 1 is a factor of 2, 6.02 dB.
enum BinaryLogarithm {
    /// The decibels of a factor of 2.
    static var decibels: Double { @_noLocks get { 6.020_599_913_279_624 } }

    /// The logarithm of a number above 0 that is no denormal, to 4·10⁻⁷; exactly 0 of 1.
    ///
    /// x = m·2^e with m in √½…√2, and ln m = 2·artanh s with s = (m − 1)/(m + 1), of which four terms
    /// are used.
    @inline(__always) @_noLocks static func of(_ x: Float) -> Float {
        let bits = Int32(bitPattern: x.bitPattern)
        // √½ is the first number of each e.
        let e = (bits &- 0x3f35_04f3) &>> 23
        let m = Float(bitPattern: UInt32(bitPattern: bits &- (e &<< 23)))
        let s = (m - 1) / (m + 1)
        let q = s * s
        // 2/ln 2, and that through 3, 5 and 7.
        let series = 2.885_390_1 + q * (0.961_796_7 + q * (0.577_078 + q * 0.412_198_6))
        return Float(e) + s * series
    }

    /// 2 to the power of x, −100…100, to 3·10⁻⁷ of it; exactly 1 of 0.
    ///
    /// The nearest whole number becomes the exponent, and the rest, at most ½, e^(rest·ln 2) with the
    /// terms up to the sixth power.
    @inline(__always) @_noLocks static func power(_ x: Float) -> Float {
        // Beyond 2²³ a Float has no fraction: adding 1.5·2²³ rounds, and its lowest bits count.
        let moved = x + 0x1.8p23
        let z = (x - (moved - 0x1.8p23)) * 0.693_147_2
        let series: Float =
            1 + z
            * (1 + z * (1 / 2 + z * (1 / 6 + z * (1 / 24 + z * (1 / 120 + z * (1 / 720))))))
        let exponent = (moved.bitPattern &- 0x4b40_0000 &+ 127) &<< 23
        return series * Float(bitPattern: exponent)
    }
}
