/// A filter of second order in its state-variable form, which can be any biquad.
///
/// With the gain g and the damping k of the two integrators (Zavalishin, "The Art of VA Filter
/// Design", 2018, chapter 4: trapezoidal integration):
///
///     H = m0 + (m1·g·(1 − z⁻²) + m2·g²·(1 + z⁻¹)²) / D
///     D = (1 − z⁻¹)² + k·g·(1 − z⁻²) + g²·(1 + z⁻¹)²
///
/// At low frequencies g is small and exact in Float, where the coefficients of a direct form are
/// almost 2 and 1 and lose what makes the filter.
struct FilterCoefficients: BitwiseCopyable {
    /// g, k, m0, m1 and m2; three zeros.
    var lanes: SIMD8<Double>

    /// The gain of the integrators, above 0: tan(ω/2) of the poles' frequency.
    var g: Double { @_noLocks get { lanes[0] } }
    /// The damping, above 0: 1/Q of the poles.
    var k: Double { @_noLocks get { lanes[1] } }
    /// The parts of the input, of the band-pass and of the low-pass in the output.
    var m0: Double { @_noLocks get { lanes[2] } }
    var m1: Double { @_noLocks get { lanes[3] } }
    var m2: Double { @_noLocks get { lanes[4] } }

    @_noLocks init(lanes: SIMD8<Double>) { self.lanes = lanes }

    @_noLocks init(g: Double, k: Double, m0: Double, m1: Double, m2: Double) {
        lanes = .zero
        lanes[0] = g
        lanes[1] = k
        lanes[2] = m0
        lanes[3] = m1
        lanes[4] = m2
    }

    /// Whether the output is the input.
    var isFlat: Bool { @_noLocks get { m0 == 1 && m1 == 0 && m2 == 0 } }

    /// A filter with these poles whose output is its input.
    var flattened: FilterCoefficients {
        @_noLocks get { FilterCoefficients(g: g, k: k, m0: 1, m1: 0, m2: 0) }
    }

    /// A filter whose output is its input.
    static var flat: FilterCoefficients {
        @_noLocks get { FilterCoefficients(g: 1, k: 1, m0: 1, m1: 0, m2: 0) }
    }

    /// The filter with a gain behind it. Control thread.
    func amplified(by gain: Double) -> FilterCoefficients {
        FilterCoefficients(g: g, k: k, m0: gain * m0, m1: gain * m1, m2: gain * m2)
    }

    /// How many floats `floats` has.
    static var floatCount: Int { @_noLocks get { 5 } }

    /// The five coefficients, as a mailbox carries them. Control thread.
    var floats: [Float] { (0..<Self.floatCount).map { Float(lanes[$0]) } }
}
