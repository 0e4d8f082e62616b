import AudioGraph

/// A column of light for one side: solid up to the RMS level, shaded up to the peak, and a line
/// where the peak was in the last seconds.
struct LevelMeter {
    /// The rows that it takes; the first is the top of the scale.
    let rows: Range<Int>
    /// How many columns wide it is.
    let columns: Int

    /// The scale's ends, in dBFS: linear in dB between them.
    private static let scale = -54.0...3.0

    /// The row in which `level` lies.
    func row(of level: Decibels) -> Int {
        rows.upperBound - 1 - min(max(eighths(level) / 8, 0), rows.count - 1)
    }

    /// How far up `level` reaches, in eighths of a row.
    private func eighths(_ level: Decibels) -> Int {
        Int(nearest: Self.part(of: level) * Double(8 * rows.count))
    }

    /// Where on the scale `level` lies, 0…1.
    static func part(of level: Decibels) -> Double {
        let part = (level.value - scale.lowerBound) / (scale.upperBound - scale.lowerBound)
        return min(max(part, 0), 1)
    }

    func draw(_ level: ScreenState.Level, into cells: inout Cells, column: Int) {
        let peak = eighths(level.peak)
        let solid = min(eighths(level.rms), peak) / 8
        let hold = eighths(level.hold)
        for step in 0..<rows.count {
            let filled = peak - 8 * step
            let scalar: Unicode.Scalar
            if step < solid {
                scalar = "█"
            } else if filled >= 8 {
                scalar = "▒"
            } else if filled > 0 {
                scalar = Self.parts[filled - 1]
            } else if hold > 0, step == (hold - 1) / 8 {
                scalar = "─"
            } else {
                continue
            }
            let row = rows.upperBound - 1 - step
            for place in column..<(column + columns) {
                cells.put(
                    scalar, row: row, column: place,
                    style: Self.style(at: (Double(step) + 0.5) / Double(self.rows.count)))
            }
        }
    }

    private static let parts: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"]

    /// By the level at a part of the scale, 0…1.
    static func style(at part: Double) -> CellStyle {
        let level = scale.lowerBound + part * (scale.upperBound - scale.lowerBound)
        return level >= -3 ? .hot : level >= -12 ? .loud : .soft
    }
}
