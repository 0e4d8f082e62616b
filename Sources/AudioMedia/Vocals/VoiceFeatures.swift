import Glibc

/// What tells in each bin of a window whether a voice is there: ten figures of the bin, and three more.
///
/// Powers are compared as natural logarithms of their ratios, limited to ±5. What is 50 dB below the
/// song's mean power counts as silence. tools/train-voice measures the same figures: both change together.
/// For one thread.
final class VoiceFeatures {
    private typealias Vector = BinRow.Vector

    /// Figures of a bin alone.
    typealias Own = [10 of BinRow.Vector]
    static let ownCount = 10

    /// Windows before and after a window that its figures depend on, apart from the means.
    static let reach = 2

    /// A mean is that of all windows at first, then of about so many.
    private static let (short, long): (Float, Float) = (100, 350)
    /// Below any sound's power, so that nothing is divided by 0.
    private static let least: Float = 1e-9

    private let band: Range<Int>
    /// The binary logarithm of each bin's frequency in kHz.
    private let pitch: BinRow
    /// The last window that was measured.
    private var centre: TurnedWindow?
    /// Sums over five windows: of the powers of middle and side, and of their product.
    private let (middle5, side5, real5, imaginary5): (BinRow, BinRow, BinRow, BinRow)
    /// The sum of the middle's power over three windows.
    private let middle3: BinRow
    /// Sums over neighbouring bins: 41 of the middle's power; 61 of the sums over five windows.
    private let (middle41, middle61, side61): (BinRow, BinRow, BinRow)
    /// Means of the roots of the powers of the middle, over a short and a long time, and of the side.
    private let (middleShort, middleLong, sideShort): (BinRow, BinRow, BinRow)
    /// Windows that were measured.
    private var known = 0
    /// Means over all bins: of the power of both, and of the middle.
    private var (power, middlePower): (Float, Float) = (0, 0)
    /// Of the last window: what counts as silence, and the logarithm of the middle's power.
    private var (silence, level): (Float, Float) = (0, 0)
    /// The logarithm of the last window's power in the middle, by its mean.
    private(set) var loudness: Float = 0

    /// For bins `spacing` Hz apart, of which those of `band`, in vectors, are measured.
    init(in memory: BinMemory, band: Range<Int>, spacing: Double) {
        self.band = band
        pitch = memory.row()
        for bin in band.lowerBound * BinRow.width..<band.upperBound * BinRow.width {
            pitch[bin] = Float(log2(max(Double(bin), 1) * spacing / 1000))
        }
        (middle5, side5, real5) = (memory.row(), memory.row(), memory.row())
        (imaginary5, middle3) = (memory.row(), memory.row())
        (middle41, middle61, side61) = (memory.row(), memory.row(), memory.row())
        (middleShort, middleLong, sideShort) = (memory.row(), memory.row(), memory.row())
    }

    /// Forgets the song.
    func reset() {
        for row in [middleShort, middleLong, sideShort] { row.clear() }
        (known, power, middlePower) = (0, 0, 0)
    }

    /// Measures the middle one of `windows`, 2·`reach` + 1 in a row.
    func measure(_ windows: [TurnedWindow]) {
        let centre = windows[Self.reach]
        self.centre = centre
        known += 1
        for i in band {
            Self.sum(windows, \.middlePower, i, to: middle5)
            Self.sum(windows, \.sidePower, i, to: side5)
            Self.sum(windows, \.real, i, to: real5)
            Self.sum(windows, \.imaginary, i, to: imaginary5)
            let outer = windows[0].middlePower.vector(i) + windows[4].middlePower.vector(i)
            middle3.setVector(i, to: middle5.vector(i) - outer)
            // The difference of sums may come out below 0.
            middle3.setVector(i, to: BinRow.larger(middle3.vector(i), .zero))
        }
        sumBins(of: centre.middlePower, count: 41, to: middle41)
        sumBins(of: middle5, count: 61, to: middle61)
        sumBins(of: side5, count: 61, to: side61)
        remember(centre)
    }

    private static func sum(
        _ windows: [TurnedWindow], _ row: KeyPath<TurnedWindow, BinRow>, _ i: Int, to sum: BinRow
    ) {
        var total = Vector.zero
        for window in windows { total += window[keyPath: row].vector(i) }
        sum.setVector(i, to: total)
    }

    /// The means go on by a window.
    private func remember(_ centre: TurnedWindow) {
        let short = 1 / min(Self.short, Float(known))
        let long = 1 / min(Self.long, Float(known))
        var (middleSum, sideSum) = (Vector.zero, Vector.zero)
        for i in band {
            let (middle, side) = (centre.middlePower.vector(i), centre.sidePower.vector(i))
            middleSum += middle
            sideSum += side
            let (a, b) = (middle.squareRoot(), side.squareRoot())
            Self.move(middleShort, i, to: a, short)
            Self.move(middleLong, i, to: a, long)
            Self.move(sideShort, i, to: b, short)
        }
        let count = Float(band.count * BinRow.width)
        let mean = middleSum.sum() / count
        power += short * (mean + sideSum.sum() / count - power)
        middlePower += short * (mean - middlePower)
        silence = 1e-5 * power + Self.least
        level = log(mean + silence)
        loudness = level - log(middlePower + silence)
    }

    @inline(__always) private static func move(
        _ mean: BinRow, _ i: Int, to value: Vector, _ part: Float
    ) {
        mean.setVector(i, to: mean.vector(i) + part * (value - mean.vector(i)))
    }

    /// Sums over so many bins around each, an odd number; beyond the band lies silence.
    private func sumBins(of row: BinRow, count: Int, to sums: BinRow) {
        let (first, end) = (band.lowerBound * BinRow.width, band.upperBound * BinRow.width)
        let half = count / 2
        var sum = 0.0
        for bin in first..<min(first + half, end) { sum += Double(row[bin]) }
        for bin in first..<end {
            if bin + half < end { sum += Double(row[bin + half]) }
            if bin - half > first { sum -= Double(row[bin - half - 1]) }
            sums[bin] = Float(max(0, sum))
        }
    }

    /// The figures of eight bins of the window that was measured last.
    @inline(__always) func own(_ i: Int) -> Own {
        guard let centre else { return Own(repeating: .zero) }
        let (e, root) = (silence, silence.squareRoot())
        let middle = centre.middlePower.vector(i)
        let own = BinRow.log(middle + e)
        let (m53, s53) = (Self.three(middle5, i) * (1.0 / 15), Self.three(side5, i) * (1.0 / 15))
        let both53 = m53 + s53 + e
        let (r53, i53) = (Self.three(real5, i) * (1.0 / 15), Self.three(imaginary5, i) * (1.0 / 15))
        let short = 2 * BinRow.log(middleShort.vector(i) + root)
        let long = 2 * BinRow.log(middleLong.vector(i) + root)
        var figures: Own = [
            BinRow.log(s53 + e) - BinRow.log(m53 + e),
            BinRow.log(side61.vector(i) * (1.0 / 305) + e)
                - BinRow.log(middle61.vector(i) * (1.0 / 305) + e),
            BinRow.size(r53) / both53,
            BinRow.size(i53) / both53,
            own - BinRow.log(Self.three(middle3, i) * (1.0 / 9) + e),
            own - BinRow.log(middle41.vector(i) * (1.0 / 41) + e),
            own - short,
            own - long,
            2 * BinRow.log(sideShort.vector(i) + root) - short,
            own - level,
        ]
        let most = Vector(repeating: 5)
        for n in figures.indices {
            figures[n] = BinRow.smaller(BinRow.larger(figures[n], -most), most)
        }
        return figures
    }

    /// All that the network is told of eight bins with these figures, in a window of that loudness.
    @inline(__always) func figures(_ i: Int, _ own: Own, loudness: Float) -> VoiceNetwork.Figures {
        let pitch = pitch.vector(i)
        var figures = VoiceNetwork.Figures(repeating: .zero)
        for n in 0..<9 { figures[n] = own[n] }
        figures[9] = BinRow.larger(pitch, Vector(repeating: -5))
        figures[10] = BinRow.smaller(pitch * pitch, Vector(repeating: 5))
        figures[11] = own[9]
        figures[12] = Vector(repeating: min(max(loudness, -5), 5))
        return figures
    }

    /// The sum over three bins.
    @inline(__always) private static func three(_ row: BinRow, _ i: Int) -> Vector {
        row.vector(i, offset: -1) + row.vector(i) + row.vector(i, offset: 1)
    }
}
