import AudioGraph

/// The strips beside each other: name, levels, volume and pan.
struct StripBlock {
    let strips: [ScreenState.Strip]
    let selected: Int

    /// Name, three rows of levels, volume.
    static let leastRows = 5
    /// Meters that are higher are no easier to read.
    private static let mostMeterRows = 18
    /// With all rows of levels, the pan, the preset and the compressor.
    static let mostRows = mostMeterRows + 5
    /// The columns of the narrowest strip: two meters with a gap between them and one behind.
    private static let leastWidth = 6
    /// Where the scale has a number, in dBFS.
    private static let marks = [0, -6, -12, -18, -24, -36, -48]

    /// Draws the strips from the left on.
    ///
    /// - Returns: where each strip is, and the column after the scale.
    func draw(
        into cells: inout Cells, rows: Range<Int>
    ) -> (targets: [ScreenTarget], end: Int) {
        guard !strips.isEmpty else { return ([], 0) }
        let isLarge = cells.columns >= 100
        let width = min(isLarge ? 14 : 12, max(Self.leastWidth, (cells.columns - 1) / strips.count))
        // Beside name and volume: pan, preset, compressor.
        let more = min(3, max(0, rows.count - Self.leastRows))
        let hasPanRow = more > 0
        let meterRows = min(Self.mostMeterRows, max(1, rows.count - 2 - more))
        let meter = LevelMeter(
            rows: (rows.lowerBound + 1)..<(rows.lowerBound + 1 + meterRows),
            columns: isLarge ? 3 : 2)
        let height = meterRows + 2 + more
        var targets: [ScreenTarget] = []
        for (number, strip) in strips.enumerated() {
            let column = 1 + number * width
            draw(strip, number, into: &cells, row: rows.lowerBound, column: column, width)
            meter.draw(strip.left, into: &cells, column: column + 1)
            meter.draw(strip.right, into: &cells, column: column + (isLarge ? 5 : 4))
            let below = meter.rows.upperBound
            if hasPanRow || !strip.isHeld {
                drawVolume(strip, into: &cells, row: below, column: column + 1, width)
            }
            drawEffects(
                strip, into: &cells, rows: (below + 2)..<(below + 1 + max(1, more)),
                column: column + 1, width)
            if strip.isHeld {
                // Where there is one row only, that of the volume, it says both.
                let row = hasPanRow ? below + 1 : below
                let isShared = !hasPanRow && strip.isMuted
                drawHold(isShared, into: &cells, row: row, column: column + 1, width)
            } else if hasPanRow {
                drawPan(strip, into: &cells, row: below + 1, column: column + 1, width)
            }
            targets.append(
                ScreenTarget(
                    kind: .strip(strip.name), rows: rows.lowerBound..<(rows.lowerBound + height),
                    columns: column..<min(column + width, cells.columns)))
        }
        let scale = 1 + strips.count * width
        guard scale + 4 <= cells.columns else { return (targets, scale) }
        var lastRow: Int?
        for mark in Self.marks {
            let row = meter.row(of: Decibels(Double(mark)))
            if row != lastRow { cells.put("\(mark)", row: row, column: scale, style: .faint) }
            lastRow = row
        }
        return (targets, scale + 4)
    }

    /// The name, and a mark where a sample was at full scale.
    private func draw(
        _ strip: ScreenState.Strip, _ number: Int, into cells: inout Cells, row: Int, column: Int,
        _ width: Int
    ) {
        let isSelected = number == selected
        let end = column + width
        if isSelected { cells.put("▸", row: row, column: column, style: .selected) }
        let next = cells.put(
            strip.name, row: row, column: column + 1, end: end,
            style: isSelected ? .selected : .strong)
        if strip.hasClipped {
            // Of a narrow strip it takes the gap, and at last the end of the name.
            let place = max(column + 1, min(next + 1, end - 4))
            cells.put("CLIP", row: row, column: place, end: end, style: .hot)
        }
    }

    /// The first of `texts` that a strip has room for; the last if it has room for none.
    private func fitting(_ texts: [String], _ width: Int) -> String {
        texts.first { CellWidth.of($0) < width } ?? texts.last ?? ""
    }

    private func drawVolume(
        _ strip: ScreenState.Strip, into cells: inout Cells, row: Int, column: Int, _ width: Int
    ) {
        let end = column + width - 1
        if strip.isUnconnected || strip.isMuted {
            let text = strip.isUnconnected ? fitting(["no input", "none"], width) : "muted"
            cells.put(text, row: row, column: column, end: end, style: .hot)
        } else {
            let volume = [strip.volume, strip.volume.replacing(" dB", with: "")]
            let next = cells.put(fitting(volume, width), row: row, column: column, end: end)
            if strip.isSolo {
                cells.put("S", row: row, column: next + 1, end: end, style: .loud)
            }
        }
    }

    /// What says that the feedback guard holds the strip, as much of it as has room.
    private func drawHold(
        _ isMuted: Bool, into cells: inout Cells, row: Int, column: Int, _ width: Int
    ) {
        let texts =
            isMuted ? ["muted, held", "held"] : ["held -20 dB", "held -20", "held"]
        cells.put(
            fitting(texts, width), row: row, column: column, end: column + width - 1, style: .hot)
    }

    private func drawPan(
        _ strip: ScreenState.Strip, into cells: inout Cells, row: Int, column: Int, _ width: Int
    ) {
        if let place = strip.place {
            cells.putCut(place, row: row, column: column, end: column + width - 1, style: .accent)
        } else if let pan = strip.pan {
            // Each place has a left, a middle and a right part.
            let count = min(7, width - 4)
            let part = (min(max(pan, -1), 1) + 1) / 2 * Double(3 * count - 1)
            let (place, third) = Int(nearest: part).quotientAndRemainder(dividingBy: 3)
            cells.put("◂", row: row, column: column, style: .faint)
            for step in 0..<count {
                cells.put(
                    step == place ? Self.handles[third] : "━", row: row, column: column + 1 + step,
                    style: step == place ? .accent : .faint)
            }
            cells.put("▸", row: row, column: column + 1 + count, style: .faint)
        } else if let reduction = strip.reduction {
            let value = fixed(reduction.value, digits: 1)
            cells.put(
                fitting(["lim \(value)", value], width), row: row, column: column,
                end: column + width - 1, style: reduction.value <= -0.05 ? .loud : .faint)
        }
    }

    private static let handles: [Unicode.Scalar] = ["▌", "┃", "▐"]

    /// The preset, and below it what the compressor does.
    private func drawEffects(
        _ strip: ScreenState.Strip, into cells: inout Cells, rows: Range<Int>, column: Int,
        _ width: Int
    ) {
        let compressor = strip.compression.map { compression in
            let value = fixed(compression.value, digits: 1)
            return fitting(["comp \(value)", "c \(value)", value], width)
        }
        for (row, text) in zip(rows, [strip.preset, compressor]) {
            guard let text else { continue }
            cells.putCut(text, row: row, column: column, end: column + width - 1, style: .accent)
        }
    }
}
