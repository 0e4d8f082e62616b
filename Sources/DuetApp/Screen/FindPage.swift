import SystemSupport

/// Songs found by typing: the words, a song a row, and what is searched.
struct FindPage: ScreenPage {
    private let find: ScreenState.Find

    /// The keys of the page, as they are named below it.
    static let hints: [KeyHelp]? = [
        KeyHelp(keys: "enter", help: "add at the end"), KeyHelp(keys: "tab", help: "add as next"),
        KeyHelp(keys: "↑/↓", help: "select"), KeyHelp(keys: "shift-tab", help: "singer"),
        KeyHelp(keys: "esc", help: "close"),
    ]
    /// Rows for what cannot be found, at most.
    private static let mostProblems = 3

    init(_ state: ScreenState) { find = state.find ?? ScreenState.Find() }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first else { return [] }
        let end = cells.columns - 1
        let count = find.count == 0 ? "" : "\(find.count) found"
        let countStart = cells.putRight(count, row: top, end: end, style: .faint)
        var start = cells.put("find: ", row: top, column: 1)
        start = cells.put(
            SafeText.clean(find.text) + (find.isInSinger ? "" : "_"), row: top, column: start,
            end: countStart - 1, style: find.isSpent ? .faint : .strong)
        if find.isInSinger || !find.singer.isEmpty {
            cells.put(
                " · singer: \(SafeText.clean(find.singer))" + (find.isInSinger ? "_" : ""),
                row: top, column: start, end: countStart - 1)
        }
        let problems = find.problems.prefix(min(Self.mostProblems, rows.count / 4))
        var foot = rows.upperBound - problems.count - 1
        cells.putCut(find.scope, row: foot, column: 1, style: .faint)
        for problem in problems {
            foot += 1
            cells.putCut(problem, row: foot, column: 1, style: .hot)
        }
        let area = (top + 1)..<max(top + 1, rows.upperBound - problems.count - 1)
        guard !find.songs.isEmpty else {
            let isEmpty = find.text.allSatisfy(\.isWhitespace)
            cells.putCut(
                isEmpty
                    ? "type beginnings of words: title, artist, file name, in any order"
                    : "nothing found", row: area.lowerBound + 1, column: 1, style: .faint)
            return []
        }
        return drawSongs(into: &cells, rows: area)
    }

    private func drawSongs(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        let end = cells.columns - 1
        let start = max(
            0, min(find.selected - rows.count / 2, find.songs.count - rows.count))
        var targets: [ScreenTarget] = []
        for (row, number) in zip(rows, start..<find.songs.count) {
            let song = find.songs[number]
            let isSelected = number == find.selected
            let style: CellStyle = isSelected ? .selected : song.isListed ? .strong : .plain
            if isSelected { cells.put("▸", row: row, column: 1, style: style) }
            // A title needs more room than a place, of which the end is the file's own name.
            let room = max(0, end - 3 - CellWidth.of(song.text) - 2)
            let place = Self.end(of: song.place, columns: max(room, (end - 3) / 3))
            let placeStart = cells.putRight(
                place, row: row, end: end, style: song.isListed ? .accent : .faint)
            cells.putCut(song.text, row: row, column: 3, end: placeStart - 2, style: style)
            targets.append(
                ScreenTarget(
                    kind: .found(number), rows: row..<(row + 1), columns: 1..<cells.columns))
        }
        return targets
    }

    /// `text` in at most `columns` places; what is cut begins with `…`.
    private static func end(of text: String, columns: Int) -> String {
        guard CellWidth.of(text) > columns else { return text }
        return "…" + CellWidth.end(of: text, columns: columns - 1)
    }
}
