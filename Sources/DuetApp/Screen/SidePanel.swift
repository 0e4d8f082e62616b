import AudioGraph

/// What stands beside the levels where there is room: effects, the buffer and the
/// connections.
struct SidePanel {
    let state: ScreenState
    private static let leastColumns = 24

    func draw(into cells: inout Cells, rows: Range<Int>, columns: Range<Int>) {
        guard columns.count >= Self.leastColumns else { return }
        var row = rows.lowerBound
        func put(_ text: String, _ style: CellStyle = .plain) {
            guard row < rows.upperBound else { return }
            cells.put(
                text, row: row, column: columns.lowerBound, end: columns.upperBound, style: style)
            row += 1
        }
        for effect in state.effects { put(effect) }
        if !state.status.state.isOver {
            let seconds = state.status.buffered
            put("buffer \(fixed(seconds, digits: seconds < 10 ? 1 : 0)) s", .faint)
        }
        for connection in state.connections { put(connection, .faint) }
    }
}
