import Glibc

/// Designs digital filters of second order whose magnitude follows an analogue one up to 0.42 of the
/// rate, without the cramping of the bilinear transformation. Control thread.
///
/// After M. Vicanek, "Matched Second Order Digital Filters" (2016): the poles are those of the
/// analogue filter by impulse invariance, and the numerator is found from the squared magnitude,
/// which is a quadratic of sin²(w/2). Where Vicanek makes three frequencies fit, here the smallest
/// relative error at five counts, which does not need cases. A high-pass has both zeros at 0 Hz, so
/// its poles are fitted.
enum FilterDesign {
    /// Filters at or above this part of the rate are absent.
    static let highest = 0.45
    /// The greatest frequency that is fitted, in radians per frame: 18.5 kHz at 44.1 kHz.
    private static let top = 0.84 * Double.pi

    /// What a filter does at a sample rate.
    ///
    /// - Parameters:
    ///   - frequency: in Hz, above 0.
    ///   - gain: in dB, for peaks and shelves.
    ///   - q: above 0; see `usedQ`.
    static func coefficients(
        _ kind: FilterKind, frequency: Double, gain: Double, q: Double, sampleRate: Int
    ) -> FilterCoefficients {
        let part = frequency / Double(sampleRate)
        guard part <= highest else { return .flat }
        let (w, q) = (2 * Double.pi * part, usedQ(q, kind))
        // A cut is the inverse of the boost.
        let boost = pow(10, gain.magnitude / 20)
        let analogue = AnalogueFilter(kind == .off ? .peak : kind, gain: boost, q: q)
        let poles = DigitalPolynomial(zerosOf: analogue.denominator, at: w)
        switch kind {
        case .off:
            return form(poles, poles).flattened
        case .highPass:
            return form(DigitalPolynomial(doubleZeroAtRest: 1 / (w * w)), fit(analogue, q, w, nil))
        case .lowPass:
            return form(fit(analogue, q, w, poles), poles)
        case .lowShelf, .highShelf, .peak:
            guard gain != 0 else { return form(poles, poles).flattened }
            let zeros = fit(analogue, q, w, poles)
            return gain > 0 ? form(zeros, poles) : form(poles, zeros)
        }
    }

    /// The Q that a filter of that kind is made with: shelves of more than √2 and passes of more
    /// than 2 (6 dB of resonance) would not follow their analogue filter.
    static func usedQ(_ q: Double, _ kind: FilterKind) -> Double {
        switch kind {
        case .off, .peak: q
        case .lowShelf, .highShelf: min(q, 2.0.squareRoot())
        case .highPass, .lowPass: min(q, 2)
        }
    }

    /// The state-variable form of a quotient of polynomials.
    private static func form(_ n: DigitalPolynomial, _ d: DigitalPolynomial) -> FilterCoefficients {
        let g = (d.sum / d.alternating).squareRoot()
        let damped = 2 * d.difference / d.alternating
        let m0 = n.alternating / d.alternating
        return FilterCoefficients(
            g: g, k: damped / g, m0: m0,
            m1: (2 * n.difference / d.alternating - m0 * damped) / g, m2: n.sum / d.sum - m0)
    }

    /// With `poles` the numerator, else (of a high-pass) the denominator that fits best.
    private static func fit(
        _ analogue: AnalogueFilter, _ q: Double, _ w: Double, _ poles: DigitalPolynomial?
    ) -> DigitalPolynomial {
        let x0 = sine(min(w, top))
        var rows: [SIMD3<Double>] = []
        for ratio in ratios(q: q, upTo: top / w) {
            let x = sine(ratio * w)
            let powers = analogue.powers(at: ratio)
            let wanted: Double
            if let poles {
                wanted = powers.numerator / powers.denominator * poles.power(at: x)
            } else {
                // |N|² of the digital high-pass over that of the analogue one, which is ratio⁴.
                let bend = ratio > 0 ? 4 * x / (ratio * ratio * w * w) : 1
                wanted = bend * bend * powers.denominator
            }
            rows.append(SIMD3(1, x / x0, x * x / (x0 * x0)) / wanted)
        }
        return DigitalPolynomial(power: leastSquares(rows), scale: x0)
    }

    private static func sine(_ w: Double) -> Double {
        let s = sin(w / 2)
        return s * s
    }

    /// Five frequencies, relative to the filter's own, where the phase of s² + s/q + 1 is 0, ¼, ½,
    /// ¾ and all of what it is at `top`: they lie around the resonance however narrow that is.
    private static func ratios(q: Double, upTo top: Double) -> [Double] {
        let phase = atan2(top / q, 1 - top * top)
        let inner = (1...3).map { part in
            // cot(phase) = (1 − r²)·q/r.
            let b = 1 / (tan(phase * Double(part) / 4) * q)
            let root = (b * b + 4).squareRoot()
            return b > 0 ? 2 / (root + b) : (root - b) / 2
        }
        return [0] + inner + [top]
    }

    /// The c for which all of `rows`·c are nearest to 1: Gram-Schmidt.
    private static func leastSquares(_ rows: [SIMD3<Double>]) -> SIMD3<Double> {
        var columns = (0..<3).map { column in rows.map { $0[column] } }
        var wanted = rows.map { _ in 1.0 }
        var upper = [SIMD3<Double>](repeating: .zero, count: 3)
        var right = SIMD3<Double>.zero
        func product(_ a: [Double], _ b: [Double]) -> Double {
            zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
        }
        for i in 0..<3 {
            let length = product(columns[i], columns[i]).squareRoot()
            let unit = columns[i].map { $0 / length }
            upper[i][i] = length
            for j in (i + 1)..<3 {
                upper[i][j] = product(unit, columns[j])
                columns[j] = zip(columns[j], unit).map { $0 - upper[i][j] * $1 }
            }
            right[i] = product(unit, wanted)
            wanted = zip(wanted, unit).map { $0 - right[i] * $1 }
        }
        var c = SIMD3<Double>.zero
        for i in (0..<3).reversed() {
            c[i] = (right[i] - (upper[i] * c).sum()) / upper[i][i]
        }
        return c
    }
}
