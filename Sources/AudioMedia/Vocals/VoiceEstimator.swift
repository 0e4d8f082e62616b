import AudioGraph
import Glibc

/// Estimates the spectrum of the voice in a stereo song, window by window.
///
/// The sides are turned so that a voice at its place is in the middle: m = gl·L + gr·R, s = gr·L − gl·R.
/// For each bin `VoiceFeatures` measures how the two relate, how much the bin differs from its
/// neighbours, and how much from its mean in the song so far: a voice stands in the middle, and it
/// moves where what accompanies it is held or comes again. `VoiceNetwork` knows from recordings what
/// these figures say, and gives which part of the middle is the voice, and which part of the side is its
/// room. For one thread.
final class VoiceEstimator {
    /// Windows between the newest and the one whose voice is known.
    static let lookahead = VoiceFeatures.reach

    private let memory: BinMemory
    private let features: VoiceFeatures
    /// The newest windows.
    private let windows: [TurnedWindow]
    /// The spectrum of the sides, first as it is given, then that of the voice.
    private let sides: StereoSpectrum
    /// Where bins may be of a voice, in vectors of bins.
    private let band: Range<Int>
    /// How loud the voice is on each side.
    private var (gl, gr): (Float, Float) = (0, 0)
    /// The number of the next window.
    private var next = 0

    /// For spectra of windows of `size` samples of `sampleRate` Hz.
    init(size: Int, sampleRate: Int) {
        let bins = size / 2 + 1
        memory = BinMemory(bins: bins)
        let spacing = Double(sampleRate) / Double(size)
        // Below lie bass and drums; of a voice next to nothing lies above.
        let first = Int((110 / spacing).rounded())
        let last = min(bins - 1, Int((10_800 / spacing).rounded()))
        band = (first / BinRow.width)..<max(first / BinRow.width + 1, last / BinRow.width)
        features = VoiceFeatures(in: memory, band: band, spacing: spacing)
        let memory = memory
        windows = (0...2 * VoiceFeatures.reach).map { _ in TurnedWindow(in: memory) }
        sides = StereoSpectrum(in: memory)
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
        for window in windows { window.clear() }
        features.reset()
        next = 0
    }

    /// Takes the next window, which `fill` writes, and gives the voice in the one `lookahead` windows
    /// before. It holds until the next call.
    func add(_ fill: (StereoSpectrum) -> Void) -> StereoSpectrum {
        fill(sides)
        window(next).turn(sides, by: (gl, gr), in: band)
        next += 1
        sides.clear()
        guard next > Self.lookahead else { return sides }
        // The windows before the first are silence.
        let count = windows.count
        features.measure((0..<count).map { window(next - count + $0) })
        let middle = window(next - 1 - Self.lookahead)
        for i in band {
            middle.put(i, features.voice(i), to: sides)
        }
        return sides
    }

    private func window(_ number: Int) -> TurnedWindow {
        windows[(number + windows.count) % windows.count]
    }
}

/// A window's spectrum, turned so that the voice is in the middle, and its powers. For one thread.
final class TurnedWindow {
    private typealias Vector = BinRow.Vector

    let middle: ChannelSpectrum
    let side: ChannelSpectrum
    /// The powers of the middle and of the side, and real and imaginary part of the product of the
    /// middle and the conjugate side.
    let (middlePower, sidePower, real, imaginary): (BinRow, BinRow, BinRow, BinRow)
    /// How loud the middle is on each side.
    private var (gl, gr): (Float, Float) = (0, 0)

    /// Silence.
    init(in memory: BinMemory) {
        middle = ChannelSpectrum(in: memory)
        side = ChannelSpectrum(in: memory)
        (middlePower, sidePower) = (memory.row(), memory.row())
        (real, imaginary) = (memory.row(), memory.row())
    }

    func clear() {
        middle.clear()
        side.clear()
        for row in [middlePower, sidePower, real, imaginary] { row.clear() }
    }

    /// Takes a spectrum of both sides.
    func turn(_ x: StereoSpectrum, by g: (left: Float, right: Float), in band: Range<Int>) {
        (gl, gr) = g
        for i in band {
            let (a, b) = (x.left.real.vector(i), x.left.imaginary.vector(i))
            let (c, d) = (x.right.real.vector(i), x.right.imaginary.vector(i))
            let (mr, mi) = (gl * a + gr * c, gl * b + gr * d)
            let (sr, si) = (gr * a - gl * c, gr * b - gl * d)
            middle.real.setVector(i, to: mr)
            middle.imaginary.setVector(i, to: mi)
            side.real.setVector(i, to: sr)
            side.imaginary.setVector(i, to: si)
            middlePower.setVector(i, to: mr * mr + mi * mi)
            sidePower.setVector(i, to: sr * sr + si * si)
            real.setVector(i, to: mr * sr + mi * si)
            imaginary.setVector(i, to: mi * sr - mr * si)
        }
    }

    /// Writes to `x` what is voice in eight bins, turned back.
    @inline(__always) func put(_ i: Int, _ voice: VoiceParts, to x: StereoSpectrum) {
        let mr = voice.middle * middle.real.vector(i)
        let mi = voice.middle * middle.imaginary.vector(i)
        let (sr, si) = (voice.side * side.real.vector(i), voice.side * side.imaginary.vector(i))
        x.left.real.setVector(i, to: gl * mr + gr * sr)
        x.left.imaginary.setVector(i, to: gl * mi + gr * si)
        x.right.real.setVector(i, to: gr * mr - gl * sr)
        x.right.imaginary.setVector(i, to: gr * mi - gl * si)
    }
}
