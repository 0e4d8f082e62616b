import AudioGraph
import Glibc

/// Estimates the spectrum of the voice in a stereo song: of what both sides have in common at the
/// voice's place, in the voice's band.
///
/// Every bin of a window is seen as the sum of a voice of power s at the place g = (gl, gr) and of
/// something of power a on the left and b on the right that have nothing in common. With these known
/// the least squares estimate of the voice is s·gᵀ·Σ⁻¹·x, where Σ = s·g·gᵀ + diag(a, b) (Wiener's
/// filter of two channels). The first guess of s, a and b is made of the powers and the correlation of
/// the sides. Twice they are then estimated anew from what the filter takes out and what it leaves,
/// each time over some windows and bins: expectation and maximisation, as in Duong, Vincent and
/// Gribonval, "Under-Determined Reverberant Audio Source Separation Using a Full-Rank Spatial
/// Covariance Model", IEEE TASLP 2010. The numbers were tuned by hand on mixes whose stems are
/// known; scripts/bench makes such mixes. For one thread.
final class VoiceEstimator {
    private typealias Vector = BinRow.Vector

    /// Windows that a sum reaches back and ahead: that of the first guess, and those of the others.
    private static let (guessBefore, guessAhead, before, ahead) = (8, 3, 3, 2)
    /// Windows between the newest and the one whose voice is known.
    static let lookahead = guessAhead + 2 * ahead
    /// Windows before one that its voice depends on.
    static let memory = guessBefore + 2 * before
    /// More of the sides than what is estimated is taken for accompaniment, at least this part of
    /// their power: no filter is then sharper than the estimates are good.
    private static let (guessFloor, floor): (Float, Float) = (0.1, 0.06)
    /// A power below any sound's, so that nothing is divided by 0.
    private static let least: Float = 1e-9

    /// How loud the voice is on each side.
    private(set) var (gl, gr): (Float, Float) = (0, 0)
    /// How much of what was found in each bin counts as voice, 0…1.
    private let band: BinRow
    private let memory: BinMemory
    private let spectra: [StereoSpectrum]
    /// The powers and the correlation of the sides.
    private let sides: PowerHistory
    /// What the first filter found, and what the second one found.
    private let found: [PowerHistory]
    private let sums: PowerRows
    private let voice: ChannelSpectrum
    /// The number of the next window; before the first lie as many of silence as are looked ahead.
    private var next = lookahead

    /// For spectra of windows of `size` samples of `sampleRate` Hz.
    init(size: Int, sampleRate: Int) {
        let bins = size / 2 + 1
        let memory = BinMemory(bins: bins)
        self.memory = memory
        sides = PowerHistory(in: memory, before: Self.guessBefore, ahead: Self.guessAhead)
        found = (0..<2).map { _ in
            PowerHistory(in: memory, before: Self.before, ahead: Self.ahead)
        }
        spectra = (0...Self.lookahead).map { _ in StereoSpectrum(in: memory) }
        sums = PowerRows(in: memory)
        voice = ChannelSpectrum(in: memory)
        band = memory.row()
        for bin in 1..<bins {
            // Below lie bass and drums; nothing that is sung sounds above.
            let frequency = Double(bin) * Double(sampleRate) / Double(size)
            let gain = 1 / (1 + pow(140 / frequency, 12)) / (1 + pow(frequency / 16_000, 8))
            band[bin] = Float(gain)
        }
        setPlace(.centre)
    }

    /// Where the voice is from now on, as a constant-power pan puts it there. At the ends it counts
    /// as a little beside them, where the other side still tells something.
    func setPlace(_ place: Pan) {
        let angle = (min(max(place.position, -0.95), 0.95) + 1) * .pi / 4
        (gl, gr) = (Float(cos(angle)), Float(sin(angle)))
    }

    /// Forgets all windows.
    func reset() {
        for spectrum in spectra { spectrum.clear() }
        for history in [sides] + found { history.clear() }
        next = Self.lookahead
    }

    /// Takes the next window, which `fill` writes, and gives the voice in the one `lookahead` windows
    /// before: on the sides it is `gl` and `gr` times as loud. It holds until the next call.
    func add(_ fill: (StereoSpectrum) -> Void) -> ChannelSpectrum {
        let newest = next
        next += 1
        fill(spectrum(newest))
        Self.measure(spectrum(newest), to: sides[newest])
        let guessed = newest - Self.guessAhead
        sides.sum(upTo: newest, to: sums)
        guess(spectrum(guessed), to: found[0][guessed])
        let estimated = guessed - Self.ahead
        found[0].sum(upTo: guessed, to: sums)
        estimate(spectrum(estimated), to: found[1][estimated])
        found[1].sum(upTo: estimated, to: sums)
        estimate(spectrum(estimated - Self.ahead), to: nil)
        return voice
    }

    private func spectrum(_ window: Int) -> StereoSpectrum { spectra[window % spectra.count] }

    /// The powers and the correlation of a window's sides.
    private static func measure(_ x: StereoSpectrum, to powers: PowerRows) {
        for i in 0..<powers.left.vectorCount {
            let (a, b) = (x.left.real.vector(i), x.left.imaginary.vector(i))
            let (c, d) = (x.right.real.vector(i), x.right.imaginary.vector(i))
            powers.left.setVector(i, to: a * a + b * b)
            powers.right.setVector(i, to: c * c + d * d)
            powers.common.setVector(i, to: a * c + b * d)
        }
    }

    /// The first filter, from the sides' powers and correlation in `sums`, for a window.
    private func guess(_ x: StereoSpectrum, to powers: PowerRows) {
        let (gl, gr, sums, band, voice) = (gl, gr, sums, band, voice)
        for i in 0..<band.vectorCount {
            let ll = sums.left.vector(i) + Self.least
            let rr = sums.right.vector(i) + Self.least
            let lr = sums.common.vector(i)
            // Where the sides have something in common: all that a voice at its place could be.
            let common = Self.larger(lr * (3 / (gl * gr)), .zero)
            let most = Self.smaller(ll * (1 / (gl * gl)), rr * (1 / (gr * gr)))
            let s = Self.smaller(common, most) * band.vector(i)
            let rest = Self.guessFloor * (ll + rr)
            let (a, b) = (ll + rest, rr + rest)
            let scale = s / (a * b - lr * lr)
            let (wl, wr) = (scale * (gl * b - gr * lr), scale * (gr * a - gl * lr))
            let error = Self.larger(s * (1 - wl * gl - wr * gr), .zero)
            Self.separate(x, i, by: (wl, wr), to: voice)
            Self.measure(x, i, voice, (gl, gr), error, to: powers)
        }
    }

    /// The filter that follows from the powers in `sums`, for a window; what it finds is measured for
    /// the next filter, if there is one.
    private func estimate(_ x: StereoSpectrum, to powers: PowerRows?) {
        let (gl, gr, sums, band, voice) = (gl, gr, sums, band, voice)
        for i in 0..<band.vectorCount {
            let s = 1.15 * band.vector(i) * Self.overBins(sums.common, i)
            let left = Self.overBins(sums.left, i) + Self.least
            let right = Self.overBins(sums.right, i) + Self.least
            let rest = Self.floor * (left + right)
            let (a, b) = (left + rest, right + rest)
            let scale = s / (a * b + s * (gl * gl * b + gr * gr * a))
            Self.separate(x, i, by: (scale * gl * b, scale * gr * a), to: voice)
            if let powers {
                Self.measure(x, i, voice, (gl, gr), scale * a * b, to: powers)
            }
        }
    }

    /// Applies a filter to eight bins of a window.
    @inline(__always) private static func separate(
        _ x: StereoSpectrum, _ i: Int, by w: (left: Vector, right: Vector),
        to voice: ChannelSpectrum
    ) {
        voice.real.setVector(
            i, to: w.left * x.left.real.vector(i) + w.right * x.right.real.vector(i))
        voice.imaginary.setVector(
            i, to: w.left * x.left.imaginary.vector(i) + w.right * x.right.imaginary.vector(i))
    }

    /// The powers of the voice and of what is beside it, in eight bins of a window; `error` is the
    /// power of what the filter missed of the voice.
    @inline(__always) private static func measure(
        _ x: StereoSpectrum, _ i: Int, _ voice: ChannelSpectrum, _ g: (left: Float, right: Float),
        _ error: Vector, to powers: PowerRows
    ) {
        func power(_ real: Vector, _ imaginary: Vector) -> Vector {
            real * real + imaginary * imaginary
        }
        // Counted whole, it would keep voices where there are none.
        let missed = 0.3 * error
        let (real, imaginary) = (voice.real.vector(i), voice.imaginary.vector(i))
        powers.common.setVector(i, to: power(real, imaginary) + missed)
        let left = power(
            x.left.real.vector(i) - g.left * real, x.left.imaginary.vector(i) - g.left * imaginary)
        powers.left.setVector(i, to: left + g.left * g.left * missed)
        let right = power(
            x.right.real.vector(i) - g.right * real,
            x.right.imaginary.vector(i) - g.right * imaginary)
        powers.right.setVector(i, to: right + g.right * g.right * missed)
    }

    /// Eight bins of `row`, each with half of its neighbours.
    @inline(__always) private static func overBins(_ row: BinRow, _ i: Int) -> Vector {
        0.5 * row.vector(i) + 0.25 * (row.vector(i, offset: -1) + row.vector(i, offset: 1))
    }

    // The standard library's own are not inlined.
    @inline(__always) private static func smaller(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .< a)
    }

    @inline(__always) private static func larger(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .> a)
    }
}
