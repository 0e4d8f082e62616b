import AudioGraph

/// Facts beside the levels, where there is room: the connections, which ear hears what, the buffer.
struct SidePanel {
    let state: ScreenState
    private static let leastColumns = 24

    /// The lines, the most important first.
    var lines: [ScreenState.Line] {
        var lines = state.connections
        if !state.status.state.isOver {
            let seconds = state.status.buffered
            lines.append(
                .init(text: "buffer \(fixed(seconds, digits: seconds < 10 ? 1 : 0)) s"))
        }
        return lines
    }

    func draw(into cells: inout Cells, rows: Range<Int>, columns: Range<Int>) {
        guard columns.count >= Self.leastColumns else { return }
        for (row, line) in zip(rows, lines) {
            cells.putCut(
                line.text, row: row, column: columns.lowerBound, end: columns.upperBound,
                style: line.isWarning ? .hot : .faint)
        }
    }
}
