/// The last lines: the note on the last key, or what was reported last, and the keys.
struct FootLines {
    let state: ScreenState

    private static let typingHints = [
        KeyHelp(keys: "enter", help: "adds it"), KeyHelp(keys: "esc", help: "leaves it out"),
    ]

    /// As much of the end of `text` as has room.
    private static func end(of text: String, columns: Int) -> String {
        var (room, end) = (columns, text[...])
        let start = text.indices.reversed().first { index in
            room -= CellWidth.of(text[index])
            return room < 0
        }
        if let start { end = text[text.index(after: start)...] }
        return String(end)
    }

    /// Draws into `row` and the row below.
    func draw(into cells: inout Cells, row: Int) {
        if let typed = state.status.typed {
            cells.put(Self.end(of: typed, columns: cells.columns - 2), row: row, column: 1)
        } else if let note = state.status.note {
            cells.put(note, row: row, column: 1, style: .strong)
        } else if let line = state.newestLine {
            cells.put(line.text, row: row, column: 1, style: line.isWarning ? .hot : .plain)
        }
        if state.status.typed != nil, let line = state.newestLine, line.isWarning {
            cells.put(line.text, row: row + 1, column: 1, style: .hot)
            return
        }
        var column = 1
        for hint in state.status.typed == nil ? state.hints : Self.typingHints {
            let text = "\(hint.keys) \(hint.help)"
            guard column + CellWidth.of(text) < cells.columns else { break }
            cells.put(hint.keys, row: row + 1, column: column)
            column = cells.put(
                hint.help, row: row + 1, column: column + CellWidth.of(hint.keys) + 1,
                style: .faint)
            column += 2
        }
    }
}
