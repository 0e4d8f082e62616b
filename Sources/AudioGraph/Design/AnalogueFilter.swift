/// An analogue filter of second order, which a digital one is designed after:
/// H(s) = (n2·s² + n1·s + n0)/(d2·s² + d1·s + d0), with s = j at its frequency.
///
/// The prototypes are those of R. Bristow-Johnson's "Audio EQ Cookbook" (W3C, 2021): of a peak and a
/// shelf, a cut is the inverse of the boost of the same decibels. Control thread.
struct AnalogueFilter {
    /// The factors of 1, s and s².
    let numerator: SIMD3<Double>
    let denominator: SIMD3<Double>

    /// `gain`: the factor at the frequency of a peak, or at the far end of a shelf, above 0.
    init(_ kind: FilterKind, gain: Double, q: Double) {
        let a = gain.squareRoot()
        let slope = a.squareRoot() / q
        switch kind {
        case .off:
            numerator = SIMD3(1, 1, 1)
            denominator = numerator
        case .highPass:
            numerator = SIMD3(0, 0, 1)
            denominator = SIMD3(1, 1 / q, 1)
        case .lowPass:
            numerator = SIMD3(1, 0, 0)
            denominator = SIMD3(1, 1 / q, 1)
        case .lowShelf:
            numerator = a * SIMD3(a, slope, 1)
            denominator = SIMD3(1, slope, a)
        case .highShelf:
            numerator = a * SIMD3(1, slope, a)
            denominator = SIMD3(a, slope, 1)
        case .peak:
            numerator = SIMD3(1, a / q, 1)
            denominator = SIMD3(1, 1 / (a * q), 1)
        }
    }

    /// |N|² and |D|² at `ratio` times the filter's frequency.
    func powers(at ratio: Double) -> (numerator: Double, denominator: Double) {
        func power(_ c: SIMD3<Double>) -> Double {
            let real = c.x - c.z * ratio * ratio
            let imaginary = c.y * ratio
            return real * real + imaginary * imaginary
        }
        return (power(numerator), power(denominator))
    }
}
