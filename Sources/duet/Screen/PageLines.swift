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
            return ListLines(list: state.list ?? ScreenState.List()).draw(into: &cells, rows: rows)
        case nil: break
        }
        return []
    }

    /// In as many columns as have room beside each other.
    private func drawHelp(into cells: inout Cells, rows: Range<Int>) {
        let keysWidth = 2 + (state.keys.map { CellWidth.of($0.keys) }.max() ?? 0)
        let width = keysWidth + 2 + (state.keys.map { CellWidth.of($0.help) }.max() ?? 0)
        let columns = max(1, (cells.columns - 1) / width)
        let height = min(rows.count, (state.keys.count + columns - 1) / columns)
        for (index, key) in state.keys.enumerated() where height > 0 && index / height < columns {
            let (row, column) = (rows.lowerBound + index % height, 1 + index / height * width)
            cells.put(key.keys, row: row, column: column, end: column + keysWidth, style: .strong)
            cells.put(key.help, row: row, column: column + keysWidth)
        }
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

    /// The present line in the middle, where the lines have times; else from the first.
    private func drawLyrics(into cells: inout Cells, rows: Range<Int>) {
        guard let lyrics = state.lyrics else {
            cells.put("this song has no lyrics", row: rows.lowerBound, column: 1, style: .faint)
            return
        }
        let first = max(0, (lyrics.line ?? 0) - rows.count / 2)
        for (row, index) in zip(rows, first..<max(first, lyrics.all.count)) {
            let isPresent = index == lyrics.line
            if isPresent { cells.put("▸", row: row, column: 1, style: .accent) }
            cells.put(
                lyrics.all[index], row: row, column: 3, style: isPresent ? .strong : .plain)
        }
    }
}
