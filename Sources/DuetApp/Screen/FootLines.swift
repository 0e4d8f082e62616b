/// The last lines: the note on the last key, or what was reported last, and the keys.
struct FootLines {
    let state: ScreenState

    private static let typingHints = [
        KeyHelp(keys: "enter", help: "add"), KeyHelp(keys: "esc", help: "cancel"),
        KeyHelp(keys: "tab", help: "complete"),
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

    /// What a line takes of the screen at most, in rows.
    private static let mostRows = 3

    /// What was reported last, in as many rows as it needs and may have: it ends with what to do, so it
    /// is not cut at the end of its first row.
    private func reported(columns: Int, rows: Int) -> [String] {
        guard rows > 0, let line = state.newestLine else { return [] }
        // One column is free on each side.
        let lines = wrapped(line.text, columns: columns - 1)
        let most = min(Self.mostRows, rows)
        guard lines.count > most else { return lines }
        return lines.prefix(most - 1) + [lines[most - 1] + " …"]
    }

    /// Draws into the last rows, `rows` and the keys below them at most: a warning, what is typed or
    /// the note on the last key, the keys.
    ///
    /// - Returns: how many rows it took.
    func draw(into cells: inout Cells, rows: Int) -> Int {
        let typed = state.status.typed.map { Self.end(of: $0, columns: cells.columns - 2) }
        let isWarning = state.newestLine?.isWarning == true
        // A warning gives way to nothing but what is typed, and all else to what users do.
        let note = typed ?? (isWarning && rows < 2 ? nil : state.status.note)
        let hasRoom = note == nil || isWarning
        let reported =
            hasRoom ? reported(columns: cells.columns, rows: rows - (note == nil ? 0 : 1)) : []
        let count = max(1, reported.count + (note == nil ? 0 : 1))
        var row = cells.rows - 1 - count
        for text in reported {
            let style: CellStyle = isWarning ? .hot : .plain
            cells.put(text, row: row, column: 1, style: style)
            row += 1
        }
        if let note {
            cells.putCut(note, row: row, column: 1, style: typed == nil ? .strong : .plain)
        }
        drawHints(into: &cells, row: cells.rows - 1)
        return count + 1
    }

    private func drawHints(into cells: inout Cells, row: Int) {
        if let note = state.status.typedNote {
            cells.putCut(note, row: row, column: 1, style: .strong)
            return
        }
        var column = 1
        for hint in state.status.typed == nil ? state.hints : Self.typingHints {
            let text = "\(hint.keys) \(hint.help)"
            guard column + CellWidth.of(text) < cells.columns else { break }
            cells.put(hint.keys, row: row, column: column)
            column = cells.put(
                hint.help, row: row, column: column + CellWidth.of(hint.keys) + 1, style: .faint)
            column += 2
        }
    }
}
