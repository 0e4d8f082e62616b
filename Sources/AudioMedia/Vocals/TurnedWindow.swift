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
