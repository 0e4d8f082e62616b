import Glibc

/// A polynomial p0 + p1·z⁻¹ + p2·z⁻² with its zeros inside the unit circle, as what a filter needs of
/// it: nothing of that is a small difference of large numbers, even at 20 Hz and 192 kHz. Control
/// thread.
struct DigitalPolynomial {
    /// p0 + p1 + p2, its value at 0 Hz.
    let sum: Double
    /// p0 − p1 + p2, its value at half the rate.
    let alternating: Double
    /// p0 − p2.
    let difference: Double

    /// The polynomial whose zeros are those of c0 + c1·s + c2·s² (c0 and c2 above 0), each s0 at
    /// exp(s0·w): impulse invariance, for poles. `w` in radians per frame.
    init(zerosOf c: SIMD3<Double>, at w: Double) {
        let own = (c.x / c.z).squareRoot() * w
        let damping = c.y / (2 * (c.x * c.z).squareRoot())
        let decay = damping * own
        if damping < 1 {
            let angle = own * (1 - damping * damping).squareRoot()
            let (s, c) = (sin(angle / 2), cos(angle / 2))
            let gap = expm1(-decay)
            sum = gap * gap + 4 * exp(-decay) * s * s
            alternating = gap * gap + 4 * exp(-decay) * c * c
        } else {
            let spread = own * (damping * damping - 1).squareRoot()
            sum = expm1(spread - decay) * expm1(-spread - decay)
            alternating = (1 + exp(spread - decay)) * (1 + exp(-spread - decay))
        }
        difference = -expm1(-2 * decay)
    }

    /// The polynomial whose squared magnitude is c0 + c1·u + c2·u², where u = sin²(w/2)/`scale`.
    ///
    /// From |p|² at both ends, and (p0 − p2)² = (p0 + p2)² − 4·p0·p2; M. Vicanek, "Matched Second
    /// Order Digital Filters", 2016, has the same for p0, p1 and p2.
    init(power c: SIMD3<Double>, scale: Double) {
        sum = max(c.x, 0).squareRoot()
        alternating = max(c.x + c.y / scale + c.z / (scale * scale), 0).squareRoot()
        difference = max((2 * sum * (sum + alternating) + c.y / scale) / 4, 0).squareRoot()
    }

    /// (1 − z⁻¹)²·`factor`.
    init(doubleZeroAtRest factor: Double) {
        (sum, alternating, difference) = (0, 4 * factor, 0)
    }

    /// The squared magnitude where sin²(w/2) is `x`.
    func power(at x: Double) -> Double {
        // 16·p0·p2 = 4·((p0 + p2)² − (p0 − p2)²) with p0 + p2 = (sum + alternating)/2.
        let total = sum + alternating
        let product = total * total - 4 * difference * difference
        let slope = 4 * difference * difference - 2 * sum * total
        return sum * sum + x * (slope + x * product)
    }
}
