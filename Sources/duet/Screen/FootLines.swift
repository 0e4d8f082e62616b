/// The last lines: the note on the last key, or what was reported last, and the keys.
struct FootLines {
    let state: ScreenState

    /// Draws into `row` and the row below.
    func draw(into cells: inout Cells, row: Int) {
        if let note = state.status.note {
            cells.put(note, row: row, column: 1, style: .strong)
        } else if state.showsNewestLine, let line = state.log.last {
            cells.put(line.text, row: row, column: 1, style: line.isWarning ? .hot : .plain)
        }
        var column = 1
        for hint in state.hints {
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
