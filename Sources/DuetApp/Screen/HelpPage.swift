/// The keys below the headings of their groups, in columns; in parts if not all have room.
struct HelpPage: ScreenPage {
    private let columns: HelpColumns
    private let number: Int

    init(_ state: ScreenState) { (columns, number) = (HelpColumns(state.keys), state.part) }

    func hasMore(columns: Int, rows: Range<Int>) -> Bool {
        number + 1 < self.columns.layout(columns: columns, rows: rows.count).parts.count
    }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        let layout = columns.layout(columns: cells.columns, rows: rows.count)
        let part = min(number, layout.parts.count - 1)
        for (index, lines) in layout.parts[part].enumerated() {
            let start = 1 + index * (layout.width + HelpColumns.space)
            for (row, line) in zip(rows, lines) {
                let end = start + layout.width
                draw(line, into: &cells, row: row, start, end: end, keysWidth: layout.keysWidth)
            }
        }
        if layout.parts.count > 1 {
            let hasMore = part + 1 < layout.parts.count
            PagePart.drawWayOn(hasMore: hasMore, into: &cells, rows: rows)
        }
        return []
    }

    private func draw(
        _ line: HelpColumns.Line, into cells: inout Cells, row: Int, _ start: Int, end: Int,
        keysWidth: Int
    ) {
        switch line {
        case .gap: break
        case .heading(let text):
            let place = cells.put(text, row: row, column: start, end: end, style: .accent)
            for column in stride(from: place + 1, to: end, by: 1) {
                cells.put("─", row: row, column: column, style: .faint)
            }
        case .key(let key, let width):
            let place = cells.put(key.keys, row: row, column: start, end: end, style: .strong)
            let column = max(place, start + min(width, keysWidth)) + 2
            let text = CellWidth.cut(key.help, columns: end - column)
            cells.put(text, row: row, column: column, end: end)
        }
    }
}
