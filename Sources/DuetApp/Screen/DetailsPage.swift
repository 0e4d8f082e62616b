/// The facts of the run, and below them as much of the log as has room, the newest last.
struct DetailsPage: ScreenPage {
    private let facts: [String]
    private let log: [ScreenState.Line]

    init(_ state: ScreenState) {
        (facts, log) = (state.details + state.connections.map(\.text), state.log)
    }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        let facts = facts.prefix(rows.count)
        for (row, text) in zip(rows, facts) { cells.put(text, row: row, column: 1) }
        let rest = rows.dropFirst(facts.count + (facts.isEmpty ? 0 : 1))
        let lines = log.suffix(rest.count).flatMap { line in
            wrapped(line.text, columns: cells.columns - 1).map { (text: $0, line.isWarning) }
        }
        for (row, (text, isWarning)) in zip(rest, lines.suffix(rest.count)) {
            cells.put(text, row: row, column: 1, style: isWarning ? .hot : .faint)
        }
        return []
    }
}
