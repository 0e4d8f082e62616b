/// The keys, in as many columns as have room.
struct HelpPage: ScreenPage {
    private let keys: [KeyHelp]
    private let number: Int
    private let keysWidth: Int
    /// The columns that a key and its help take. What users have written themselves may be longer.
    private let width: Int

    init(_ state: ScreenState) {
        (keys, number) = (state.keys, state.part)
        keysWidth = 2 + (keys.map { CellWidth.of($0.keys) }.max() ?? 0)
        width = keysWidth + 2 + min(24, keys.map { CellWidth.of($0.help) }.max() ?? 0)
    }

    /// Keys that have room beside each other on a screen of so many columns.
    private func perRow(_ columns: Int) -> Int { max(1, (columns - 1) / width) }

    private func part(_ columns: Int, _ rows: Range<Int>) -> PagePart {
        PagePart(number, of: keys.count, perRow: perRow(columns), rows: rows.count)
    }

    func hasMore(columns: Int, rows: Range<Int>) -> Bool { part(columns, rows).hasMore }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        let (part, columns) = (part(cells.columns, rows), perRow(cells.columns))
        let height = (part.entries.count + columns - 1) / columns
        for (index, key) in keys[part.entries].enumerated() {
            let (row, column) = (rows.lowerBound + index % height, 1 + index / height * width)
            cells.put(key.keys, row: row, column: column, end: column + keysWidth, style: .strong)
            cells.put(key.help, row: row, column: column + keysWidth, end: column + width - 1)
        }
        part.drawWayOn(into: &cells, rows: rows)
        return []
    }
}
