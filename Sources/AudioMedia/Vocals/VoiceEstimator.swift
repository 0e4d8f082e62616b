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
/// Covariance Model", IEEE TASLP 2010. Over which windows and bins depends on what is estimated, as
/// in Liutkus and others, "Kernel Additive Models for Source Separation", IEEE TSP 2014: instruments
/// hold their notes for longer than voices do, and voices glide over more bins.
///
/// What a voice leaves in a room comes from all sides: its power r on each side follows from the voice
/// in the windows before, and is never more than what is there beside the voice. It is r·Σ⁻¹·x.
///
/// The numbers were tuned by hand on mixes whose stems are known; scripts/bench makes such mixes. For one
/// thread.
final class VoiceEstimator {
    private typealias Vector = BinRow.Vector

    /// Windows that a sum reaches back: that of the first guess, and of the others that of the sides'
    /// powers and that of the voice's.
    private static let (guessBefore, before, voiceBefore) = (4, 6, 1)
    /// Windows that each sum reaches ahead.
    private static let ahead = 1
    /// How much of the voice's power the room holds in each of the windows after one: a reverb of 1.4 s,
    /// where a window comes each 0.19 s.
    private static let decay: [Float] = [0.032, 0.0051]
    /// Windows between the newest and the one whose voice is known.
    static let lookahead = 3 * ahead
    /// Windows before one that its voice depends on.
    static let memory = guessBefore + 2 * before + decay.count
    /// More of the sides than what is estimated is taken for accompaniment, at least this part of
    /// their power: no filter is then sharper than the estimates are good.
    private static let (guessFloor, floor): (Float, Float) = (0.1, 0.06)
    /// So many times the voice's power that was found is looked for: what is left of a voice disturbs
    /// more than what is gone of the rest.
    private static let eagerness: Float = 1.4
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
    /// The voice as it stands at its place, and with what the room makes of it.
    private let (voice, whole): (ChannelSpectrum, StereoSpectrum)
    /// The powers of the voice in the newest windows whose voice is known.
    private let sung: [BinRow]
    /// What the room holds.
    private let room: BinRow
    /// The number of the next window; before the first lie as many of silence as are looked ahead.
    private var next = lookahead

    /// For spectra of windows of `size` samples of `sampleRate` Hz.
    init(size: Int, sampleRate: Int) {
        let bins = size / 2 + 1
        let memory = BinMemory(bins: bins)
        self.memory = memory
        sides = PowerHistory(
            in: memory, before: Self.guessBefore, commonBefore: Self.guessBefore, ahead: Self.ahead)
        found = (0..<2).map { _ in
            PowerHistory(
                in: memory, before: Self.before, commonBefore: Self.voiceBefore, ahead: Self.ahead)
        }
        spectra = (0...Self.lookahead).map { _ in StereoSpectrum(in: memory) }
        sums = PowerRows(in: memory)
        voice = ChannelSpectrum(in: memory)
        whole = StereoSpectrum(in: memory)
        sung = Self.decay.map { _ in memory.row() }
        room = memory.row()
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
        for powers in sung { powers.clear() }
        next = Self.lookahead
    }

    /// Takes the next window, which `fill` writes, and gives the voice in the one `lookahead` windows
    /// before. It holds until the next call.
    func add(_ fill: (StereoSpectrum) -> Void) -> StereoSpectrum {
        let newest = next
        next += 1
        fill(spectrum(newest))
        Self.measure(spectrum(newest), to: sides[newest])
        let guessed = newest - Self.ahead
        sides.sum(upTo: newest, to: sums)
        guess(spectrum(guessed), to: found[0][guessed])
        let estimated = guessed - Self.ahead
        found[0].sum(upTo: guessed, to: sums)
        estimate(spectrum(estimated), to: found[1][estimated])
        found[1].sum(upTo: estimated, to: sums)
        finish(estimated - Self.ahead)
        return whole
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

    /// The second filter, which follows from the powers in `sums`, for a window; what it finds is
    /// measured for the last one.
    private func estimate(_ x: StereoSpectrum, to powers: PowerRows) {
        let (gl, gr, voice) = (gl, gr, voice)
        for i in 0..<band.vectorCount {
            let (s, a, b, _) = powersInSums(i)
            let scale = s / (a * b + s * (gl * gl * b + gr * gr * a))
            Self.separate(x, i, by: (scale * gl * b, scale * gr * a), to: voice)
            Self.measure(x, i, voice, (gl, gr), scale * a * b, to: powers)
        }
    }

    /// The last filter, for a window of that number: the voice, and what the room makes of it.
    private func finish(_ window: Int) {
        let (x, gl, gr, voice, whole) = (spectrum(window), gl, gr, voice, whole)
        room.clear()
        for (age, part) in Self.decay.enumerated() {
            let powers = sung[(window + sung.count - 1 - age) % sung.count]
            for i in 0..<room.vectorCount {
                room.setVector(i, to: room.vector(i) + part * powers.vector(i))
            }
        }
        let powers = sung[window % sung.count]
        for i in 0..<band.vectorCount {
            let (s, a, b, softer) = powersInSums(i)
            let all = 1 / (a * b + s * (gl * gl * b + gr * gr * a))
            Self.separate(x, i, by: (all * s * gl * b, all * s * gr * a), to: voice)
            let (real, imaginary) = (voice.real.vector(i), voice.imaginary.vector(i))
            powers.setVector(i, to: real * real + imaginary * imaginary)
            let r = all * Self.smaller(Self.overBins(room, i) * band.vector(i), softer)
            let (ll, lr, rr) = (r * (b + s * gr * gr), r * s * gl * gr, r * (a + s * gl * gl))
            func put(_ l: BinRow, _ r: BinRow, _ v: Vector, _ toLeft: BinRow, _ toRight: BinRow) {
                let (l, r) = (l.vector(i), r.vector(i))
                toLeft.setVector(i, to: gl * v + ll * l - lr * r)
                toRight.setVector(i, to: gr * v + rr * r - lr * l)
            }
            put(x.left.real, x.right.real, real, whole.left.real, whole.right.real)
            put(
                x.left.imaginary, x.right.imaginary, imaginary, whole.left.imaginary,
                whole.right.imaginary)
        }
    }

    /// The powers of the voice, of what is beside it on the left and on the right, and that of the
    /// softer side as it was found, in eight bins.
    @inline(__always) private func powersInSums(
        _ i: Int
    ) -> (s: Vector, a: Vector, b: Vector, softer: Vector) {
        let amplitude = Self.overMoreBins(sums.common, i)
        let s = Self.eagerness * band.vector(i) * amplitude * amplitude
        let left = Self.overBins(sums.left, i) + Self.least
        let right = Self.overBins(sums.right, i) + Self.least
        let rest = Self.floor * (left + right)
        return (s, left + rest, right + rest, Self.smaller(left, right))
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
        // Summed up as amplitudes, a voice that is loud for a moment does not count for long.
        powers.common.setVector(i, to: (power(real, imaginary) + missed).squareRoot())
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

    /// Eight bins of `row`, each with three quarters and a quarter of those beside it.
    @inline(__always) private static func overMoreBins(_ row: BinRow, _ i: Int) -> Vector {
        let (next, second) = (
            row.vector(i, offset: -1) + row.vector(i, offset: 1),
            row.vector(i, offset: -2) + row.vector(i, offset: 2)
        )
        return (row.vector(i) + 0.75 * next + 0.25 * second) * (1.0 / 3)
    }

    // The standard library's own are not inlined.
    @inline(__always) private static func smaller(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .< a)
    }

    @inline(__always) private static func larger(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .> a)
    }
}
