import Glibc

/// What a free filter of an equalizer does.
public enum FilterKind: String, Sendable, CaseIterable {
    /// Nothing: the sound passes unchanged.
    case off
    /// Takes away what lies below the frequency, 12 dB per octave.
    case highPass = "high-pass"
    /// Takes away what lies above the frequency, 12 dB per octave.
    case lowPass = "low-pass"
    /// Makes everything below the frequency louder or softer.
    case lowShelf = "low-shelf"
    /// Makes everything above the frequency louder or softer.
    case highShelf = "high-shelf"
    /// Makes what lies around the frequency louder or softer.
    case peak
}

/// How fast a filter takes away what lies beyond its frequency.
public enum FilterSlope: String, Sendable, CaseIterable {
    /// 12 dB per octave.
    case gentle = "12"
    /// 24 dB per octave.
    case steep = "24"
}

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

/// The filters of a graphic equalizer: ten peaks an octave apart, whose gains are solved so that
/// together they do at every centre what the fader there says. Control thread.
///
/// The method of V. Välimäki and J. Liski, "Accurate Cascade Graphic Equalizer" (IEEE Signal
/// Processing Letters 24, 2017): the gains in dB from the matrix of how much each band changes each
/// centre, and once more with the shape that the bands have at the gains found. Here that is
/// repeated until the error is below 0.005 dB. A Q of 1 holds what lies between the centres within
/// 0.5 dB of the faders around it for the presets, and within 0.8 dB with all faders at +12.
enum GraphicDesign {
    /// How many bands there are.
    static let count = 10
    /// The Q of a band.
    private static let q = 1.0
    /// The error at a centre, in dB, with which the search ends.
    private static let enough = 0.005
    /// By how many dB a gain is changed to see what that does.
    private static let little = 0.1
    /// Presets take two, neighbours at opposite ends three.
    private static let rounds = 20

    /// The centre of a band in Hz: 31.25·2^k.
    static func frequency(of band: Int) -> Double { 31.25 * Double(1 << band) }

    /// The filters of all bands for faders in dB; those above 0.45 of the rate are absent.
    static func coefficients(faders: [Double], sampleRate: Int) -> [FilterCoefficients] {
        let present = (0..<count).prefix {
            frequency(of: $0) <= FilterDesign.highest * Double(sampleRate)
        }
        let gains = solve(Array(faders[..<present.count]), sampleRate: sampleRate)
        return (0..<count).map { band in
            present.contains(band) ? filter(band, gain: gains[band], sampleRate) : .flat
        }
    }

    private static func filter(_ band: Int, gain: Double, _ rate: Int) -> FilterCoefficients {
        FilterDesign.coefficients(
            .peak, frequency: frequency(of: band), gain: gain, q: q, sampleRate: rate)
    }

    /// The gains of the bands, in dB, with which the response at every centre is the fader's:
    /// Newton's method.
    private static func solve(_ faders: [Double], sampleRate rate: Int) -> [Double] {
        guard faders.contains(where: { $0 != 0 }) else { return faders }
        let centres = faders.indices.map { 2 * Double.pi * frequency(of: $0) / Double(rate) }
        func response(_ band: Int, _ gain: Double) -> [Double] {
            let own = filter(band, gain: gain, rate)
            return centres.map { own.decibels(at: $0) }
        }
        var gains = faders.map { _ in 0.0 }
        for _ in 0..<rounds {
            // What each band does at each centre: now, and with a little more gain.
            let now = gains.indices.map { response($0, gains[$0]) }
            let missing = centres.indices.map { row in
                faders[row] - now.reduce(0) { $0 + $1[row] }
            }
            guard missing.contains(where: { $0.magnitude > enough }) else { break }
            let more = gains.indices.map { response($0, gains[$0] + little) }
            let slopes = centres.indices.map { row in
                gains.indices.map { (more[$0][row] - now[$0][row]) / little }
            }
            gains = zip(gains, solution(of: slopes, missing)).map { $0 + $1 }
        }
        return gains
    }

    /// Solves a system whose matrix has its largest elements on the diagonal: Gauss.
    private static func solution(of matrix: [[Double]], _ right: [Double]) -> [Double] {
        var (a, b) = (matrix, right)
        for i in b.indices {
            for j in (i + 1)..<max(b.count, i + 1) {
                let factor = a[j][i] / a[i][i]
                for k in i..<b.count { a[j][k] -= factor * a[i][k] }
                b[j] -= factor * b[i]
            }
        }
        for i in b.indices.reversed() {
            for k in (i + 1)..<max(b.count, i + 1) { b[i] -= a[i][k] * b[k] }
            b[i] /= a[i][i]
        }
        return b
    }
}

extension FilterCoefficients {
    /// The magnitude of the response at `w` radians per frame, in dB.
    func decibels(at w: Double) -> Double {
        // With t = tan(w/2)/g, s = j·t: H = m0 + (m1·s + m2)/(s² + k·s + 1).
        let t = tan(w / 2) / g
        let (real, imaginary) = (1 - t * t, k * t)
        let power = real * real + imaginary * imaginary
        let (top, side) = (m0 * real + m2, m0 * imaginary + m1 * t)
        return 10 * log10((top * top + side * side) / power)
    }
}
