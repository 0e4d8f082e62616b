import Glibc

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
