/// The words of the song: the present line in the middle if the lines have times, else in parts.
struct LyricsPage: ScreenPage {
    private let lyrics: ScreenState.Lyrics?
    private let number: Int

    init(_ state: ScreenState) { (lyrics, number) = (state.lyrics, state.part) }

    func hasMore(columns: Int, rows: Range<Int>) -> Bool {
        guard let lyrics, lyrics.present == nil else { return false }
        let rows = room(in: rows)
        return part(lines(of: lyrics, columns: columns, rows: rows), rows).hasMore
    }

    private func part(_ lines: [LyricsLines.Row], _ rows: Range<Int>) -> PagePart {
        PagePart(number, of: lines.count, rows: rows.count)
    }

    /// The rows above the one that says where the lyrics are from.
    private func room(in rows: Range<Int>) -> Range<Int> {
        lyrics?.source != nil && rows.count > 3 ? rows.dropLast(2) : rows
    }

    func draw(into cells: inout Cells, rows all: Range<Int>) -> [ScreenTarget] {
        let rows = room(in: all)
        if let source = lyrics?.source, rows != all {
            cells.putCut("words from \(source)", row: all.upperBound - 1, column: 1, style: .faint)
        }
        guard let lyrics else {
            cells.put("this song has no lyrics", row: rows.lowerBound, column: 1, style: .faint)
            return []
        }
        let drawing = LyricsLines(lyrics: lyrics, isPage: true)
        guard lyrics.present == nil else {
            drawing.draw(into: &cells, rows: rows)
            return []
        }
        let all = lines(of: lyrics, columns: cells.columns, rows: rows)
        let part = part(all, rows)
        for (place, row) in zip(rows, all[part.entries]) {
            drawing.put(row, into: &cells, row: place, style: .plain)
        }
        part.drawWayOn(into: &cells, rows: rows)
        return []
    }

    /// The rows of all lyrics up to behind the part that is shown.
    private func lines(
        of lyrics: ScreenState.Lyrics, columns: Int, rows: Range<Int>
    ) -> [LyricsLines.Row] {
        let drawing = LyricsLines(lyrics: lyrics, isPage: true)
        let needed = (number + 1) * max(1, rows.count - 1) + 1
        var result: [LyricsLines.Row] = []
        for number in lyrics.lines.indices where result.count <= needed {
            result += drawing.rows(of: number, columns: columns)
        }
        return result
    }
}
