/// The view for hosts: a line of words, what is changed of the song, the strips; beside them the list and the
/// connections. Where each of them stands depends on the size of the screen and on whether the song has words.
struct MixerView {
    let state: ScreenState

    /// The rows between the place of the song and the note on the last key.
    private struct Plan {
        var words = 0
        var changes = 0
        /// Blank.
        var gap = 0
    }

    /// - Parameters:
    ///   - count: of all rows.
    ///   - isSmall: whether singers have no view of their own.
    private func plan(_ count: Int, isSmall: Bool) -> Plan {
        var plan = Plan()
        var spare = count - StripBlock.leastRows
        let hasWords = state.lyrics.map { $0.isTimed || spare >= 3 } ?? false
        // Where one row is left, it is that of the words.
        plan.changes = spare > (hasWords ? 1 : 0) ? 1 : 0
        spare -= plan.changes
        if hasWords {
            plan.words =
                isSmall || spare >= 20
                ? LyricsLines.count(fitting: spare) : min(1, max(0, spare))
        } else if spare > 2 {
            plan.gap = 1
        }
        return plan
    }

    /// Draws all below the place of the song. Returns what can be pointed at.
    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        let isSmall = !SingingView.fits(columns: cells.columns, rows: cells.rows)
        let plan = plan(rows.count, isSmall: isSmall)
        if isSmall, let picture = state.picture {
            PictureArea(picture: picture, graphics: state.graphics).draw(into: &cells, rows: rows)
            return []
        }
        var top = rows.lowerBound
        if plan.changes > 0 {
            cells.putCut(
                state.changes.joined(separator: " · "), row: top, column: 1, style: .accent)
            top += 1
        }
        if let lyrics = state.lyrics {
            LyricsLines(lyrics: lyrics, key: state.lyricsKey).draw(
                into: &cells, rows: top..<(top + plan.words))
        }
        top += plan.words + plan.gap
        let rows = top..<rows.upperBound
        let (targets, right) = StripBlock(strips: state.strips, selected: state.selected).draw(
            into: &cells, rows: rows)
        return targets
            + drawSide(
                into: &cells, rows: rows, columns: min(right + 2, cells.columns)..<cells.columns)
    }

    /// The fewest columns of a screen with the list beside the strips, and of that list.
    private static let (leastColumns, leastListColumns) = (120, 40)
    /// The fewest rows of that list, and those of the facts above it: of four microphones, two sides
    /// and the buffer.
    private static let (leastListRows, panelRows) = (3, 7)

    /// Draws what stands beside the strips: the facts, and the list below them where there is room.
    private func drawSide(
        into cells: inout Cells, rows: Range<Int>, columns: Range<Int>
    ) -> [ScreenTarget] {
        let panel = SidePanel(state: state)
        let inner = columns.lowerBound..<max(columns.lowerBound, columns.upperBound - 1)
        panel.draw(into: &cells, rows: rows, columns: inner)
        let top = rows.lowerBound + Self.panelRows + 1
        guard cells.columns >= Self.leastColumns, columns.count >= Self.leastListColumns,
            rows.upperBound - top >= Self.leastListRows, let list = state.list, list.count > 1
        else { return [] }
        return ListRows(list: list).draw(
            into: &cells, rows: top..<rows.upperBound, columns: columns)
    }
}
