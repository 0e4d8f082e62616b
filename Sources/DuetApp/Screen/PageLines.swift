/// A page in place of the levels: keys, details, words or songs.
struct PageLines {
    let state: ScreenState

    /// Returns what can be pointed at.
    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        switch state.page {
        case .help: drawHelp(into: &cells, rows: rows)
        case .details: drawDetails(into: &cells, rows: rows)
        case .lyrics: drawLyrics(into: &cells, rows: rows)
        case .list:
            return ListLines(list: state.list ?? ScreenState.List(), addKey: state.addKey).draw(
                into: &cells, rows: rows)
        case nil: break
        }
        return []
    }

    /// Whether the page goes on behind the part that is shown.
    func hasMore(columns: Int, rows: Range<Int>) -> Bool {
        switch state.page {
        case .help: part(of: state.keys.count, perRow: helpColumns(columns), rows: rows).hasMore
        case .lyrics where state.lyrics?.present == nil:
            part(of: lyricsRows(columns: columns, rows: rows).count, perRow: 1, rows: rows).hasMore
        case .details, .list, .lyrics, nil: false
        }
    }

    /// Of `count` entries, `perRow` of which stand in a row, those that are shown. Where not all have
    /// room, the last row says how to see the others.
    private func part(
        of count: Int, perRow: Int, rows: Range<Int>
    ) -> (entries: Range<Int>, isWhole: Bool, hasMore: Bool) {
        guard count > rows.count * perRow else { return (0..<count, true, false) }
        let size = max(1, rows.count - 1) * perRow
        let start = min(state.part, (count - 1) / size) * size
        let end = min(count, start + size)
        return (start..<end, false, end < count)
    }

    private func drawWayOn(_ hasMore: Bool, into cells: inout Cells, rows: Range<Int>) {
        let text = hasMore ? "more: the same key again" : "the same key again closes this page"
        cells.put(text, row: rows.upperBound - 1, column: 1, style: .accent)
    }

    private var keysWidth: Int { 2 + (state.keys.map { CellWidth.of($0.keys) }.max() ?? 0) }

    /// The columns that a key and its help take. What users have written themselves may be longer.
    private var helpWidth: Int {
        keysWidth + 2 + min(24, state.keys.map { CellWidth.of($0.help) }.max() ?? 0)
    }

    /// How many keys have room beside each other on a screen of so many columns.
    private func helpColumns(_ columns: Int) -> Int { max(1, (columns - 1) / helpWidth) }

    private func drawHelp(into cells: inout Cells, rows: Range<Int>) {
        let (keysWidth, width, columns) = (keysWidth, helpWidth, helpColumns(cells.columns))
        let (entries, isWhole, hasMore) = part(of: state.keys.count, perRow: columns, rows: rows)
        let height = (entries.count + columns - 1) / columns
        for (index, key) in state.keys[entries].enumerated() {
            let (row, column) = (rows.lowerBound + index % height, 1 + index / height * width)
            cells.put(key.keys, row: row, column: column, end: column + keysWidth, style: .strong)
            cells.put(key.help, row: row, column: column + keysWidth, end: column + width - 1)
        }
        if !isWhole { drawWayOn(hasMore, into: &cells, rows: rows) }
    }

    /// The facts, and below them as much of the log as has room, the newest last.
    private func drawDetails(into cells: inout Cells, rows: Range<Int>) {
        let facts = (state.details + state.connections).prefix(rows.count)
        for (row, text) in zip(rows, facts) { cells.put(text, row: row, column: 1) }
        let rest = rows.dropFirst(facts.count + (facts.isEmpty ? 0 : 1))
        let lines = state.log.suffix(rest.count).flatMap { line in
            wrapped(line.text, columns: cells.columns - 1).map { (text: $0, line.isWarning) }
        }
        for (row, (text, isWarning)) in zip(rest, lines.suffix(rest.count)) {
            cells.put(text, row: row, column: 1, style: isWarning ? .hot : .faint)
        }
    }

    /// The present line in the middle, where the lines have times; else in parts.
    private func drawLyrics(into cells: inout Cells, rows: Range<Int>) {
        guard let lyrics = state.lyrics else {
            cells.put("this song has no lyrics", row: rows.lowerBound, column: 1, style: .faint)
            return
        }
        let lines = LyricsLines(lyrics: lyrics, isPage: true)
        guard lyrics.present == nil else { return lines.draw(into: &cells, rows: rows) }
        let all = lyricsRows(columns: cells.columns, rows: rows)
        let (entries, isWhole, hasMore) = part(of: all.count, perRow: 1, rows: rows)
        for (place, row) in zip(rows, all[entries]) {
            lines.put(row, into: &cells, row: place, style: .plain)
        }
        if !isWhole { drawWayOn(hasMore, into: &cells, rows: rows) }
    }

    /// The rows of all lyrics up to behind the part that is shown.
    private func lyricsRows(columns: Int, rows: Range<Int>) -> [LyricsLines.Row] {
        guard let lyrics = state.lyrics else { return [] }
        let lines = LyricsLines(lyrics: lyrics, isPage: true)
        let needed = (state.part + 1) * max(1, rows.count - 1) + 1
        var result: [LyricsLines.Row] = []
        for number in lyrics.lines.indices where result.count <= needed {
            result += lines.rows(of: number, columns: columns)
        }
        return result
    }
}
