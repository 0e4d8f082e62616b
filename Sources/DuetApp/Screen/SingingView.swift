import AudioGraph
import AudioMedia

/// The view for singers: words as large as they fit, the levels in one row, what is changed in another. Nothing
/// moves, whatever is changed or reported.
struct SingingView {
    /// The smallest screen that has it; on a smaller one the mixer has a line of words.
    static let smallest = (columns: 60, rows: 16)

    /// Whether a screen of this size has room for it.
    static func fits(columns: Int, rows: Int) -> Bool {
        columns >= smallest.columns && rows >= smallest.rows
    }

    let state: ScreenState

    /// Draws what stands between the place of the song and the note on the last key.
    func draw(into cells: inout Cells, rows: Range<Int>) {
        // Below the words stand the levels and what is changed.
        let rows = rows.dropLast(2)
        // Where there is no row for it among the words.
        var countdown: String?
        if let turn = state.turn {
            TurnLines(turn: turn, ways: state.letters).draw(into: &cells, rows: rows)
        } else if let picture = state.picture {
            PictureArea(picture: picture, graphics: state.graphics).draw(into: &cells, rows: rows)
        } else if let lyrics = state.lyrics, lyrics.isTimed {
            let words = LargeWords(lyrics: lyrics, ways: state.letters)
            countdown = words.draw(into: &cells, rows: rows)
        } else {
            LargeWords.drawTitle(state.title, ways: state.letters, into: &cells, rows: rows)
        }
        drawLevels(into: &cells, row: rows.upperBound)
        let changes = (state.changes + state.effects).joined(separator: " · ")
        var end = cells.columns - 1
        if let countdown {
            end = cells.putRight(countdown, row: rows.upperBound + 1, end: end, style: .accent) - 2
        }
        cells.putCut(changes, row: rows.upperBound + 1, column: 1, end: end, style: .accent)
    }

    // MARK: Levels

    /// A bar for each channel, its volume, and the latency of the microphone. What has no room leaves:
    /// first the output, then the song.
    private func drawLevels(into cells: inout Cells, row: Int) {
        var end = cells.columns - 1
        if state.strips.contains(where: { $0.name == "mic" }) {
            if let latency = state.status.latency {
                cells.putRight(
                    "ear \(fixed(latency, digits: 1)) ms", row: row, end: end,
                    style: Status.isDisturbing(latency) ? .loud : .faint)
            }
            // Whatever the latency is, and while it is not known, bars stay where they are.
            end -= Self.latencyWidth
        }
        let name = state.strips.map { CellWidth.of($0.name) }.max() ?? 0
        func width(_ count: Int) -> Int { (end - 1 + Self.gap) / max(1, count) - Self.gap }
        // Where many sing on a small screen, their own levels stay.
        var strips = state.strips[...]
        let least = name + 1 + Self.leastBar
        if width(strips.count) < least { strips = strips.dropLast() }
        if width(strips.count) < least { strips = strips.dropFirst() }
        let width = width(strips.count)
        for (number, strip) in strips.enumerated() {
            let column = 1 + number * (width + Self.gap)
            draw(strip, into: &cells, row: row, columns: column..<(column + width), name: name)
        }
    }

    private static let gap = 2
    /// The columns of `ear 99.9 ms` and of the gap before it.
    private static let latencyWidth = 13
    /// The fewest cells of a bar that has its volume beside it, and the widest text there.
    private static let (leastBar, textWidth) = (4, 5)

    /// - Parameter name: the width of the longest name, so that bars begin at the same place.
    private func draw(
        _ strip: ScreenState.Strip, into cells: inout Cells, row: Int, columns: Range<Int>,
        name: Int
    ) {
        if strip.isUnconnected {
            let texts = [
                "\(strip.name): not connected", "\(strip.name): no input", "no \(strip.name)",
            ]
            let text = texts.first { CellWidth.of($0) <= columns.count } ?? texts[2]
            cells.putCut(
                text, row: row, column: columns.lowerBound, end: columns.upperBound, style: .hot)
            return
        }
        cells.put(
            strip.name, row: row, column: columns.lowerBound, end: columns.upperBound)
        let state = strip.isMuted ? "muted" : strip.isHeld ? "held" : nil
        let start = columns.lowerBound + name + 1
        let room = columns.upperBound - start
        let hasText = state != nil || room > Self.textWidth + Self.leastBar
        if hasText {
            cells.putRight(
                state ?? strip.volume.replacing(" dB", with: ""), row: row, from: start,
                end: columns.upperBound, style: state == nil ? .plain : .hot)
        }
        let count = room - (hasText ? Self.textWidth + 1 : 0)
        let lit = Int(
            nearest: LevelMeter.part(of: max(strip.left.peak, strip.right.peak))
                * Double(max(0, count)))
        for place in 0..<max(0, count) {
            let isLit = place < lit
            cells.put(
                isLit ? "▇" : "░", row: row, column: start + place,
                style: isLit ? LevelMeter.style(at: (Double(place) + 0.5) / Double(count)) : .faint)
        }
    }
}
