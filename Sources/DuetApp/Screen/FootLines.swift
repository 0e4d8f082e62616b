/// The last lines: the note on the last key, or what was reported last, and the keys.
struct FootLines {
    let state: ScreenState

    private static let typingHints = [
        KeyHelp(keys: "enter", help: "add"), KeyHelp(keys: "esc", help: "cancel"),
        KeyHelp(keys: "tab", help: "complete"), KeyHelp(keys: "↓", help: "singer"),
    ]

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

    /// The rows of the note and of the keys.
    static let rows = 2

    /// Draws a warning, what is typed or the note on the last key, and the keys into the last rows. A warning
    /// that needs more than its row covers what stands above, for as long as it is shown: nothing moves.
    func draw(into cells: inout Cells) {
        let typed = state.status.typed.map { CellWidth.end(of: $0, columns: cells.columns - 2) }
        let isWarning = state.newestLine?.isWarning == true
        // A warning gives way to nothing but what is typed, and all else to what users do.
        let note = typed ?? state.status.note
        var most = min(Self.mostRows, cells.rows - 2 - StripBlock.leastRows - Self.rows + 1)
        // What the terminal draws by itself would cover it.
        if let image = cells.image { most = min(most, cells.rows - 1 - image.rows.upperBound) }
        let hasRoom = note == nil || isWarning
        let reported =
            hasRoom ? reported(columns: cells.columns, rows: most - (note == nil ? 0 : 1)) : []
        let bottom = cells.rows - 1
        var row = bottom - reported.count - (note == nil ? 0 : 1)
        for text in reported {
            cells.clear(row: row)
            cells.put(text, row: row, column: 1, style: isWarning ? .hot : .plain)
            row += 1
        }
        if let note, row < bottom {
            cells.putCut(note, row: row, column: 1, style: typed == nil ? .strong : .plain)
        }
        drawHints(into: &cells, row: bottom)
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
