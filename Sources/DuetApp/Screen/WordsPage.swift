import SystemSupport

/// Words that may be those of the song, a row each, with their lengths: for the user to choose.
struct WordsPage: ScreenPage {
    private let choice: ScreenState.WordsChoice

    /// The keys of the page, as they are named below it.
    static let hints: [KeyHelp]? = [
        KeyHelp(keys: "1…9", help: "take"), KeyHelp(keys: "↑/↓", help: "select"),
        KeyHelp(keys: "enter", help: "take"), KeyHelp(keys: "esc", help: "close"),
    ]
    /// A length that differs by more seconds stands out.
    private static let closest = 2.0

    init(_ state: ScreenState) { choice = state.wordsChoice ?? ScreenState.WordsChoice() }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first else { return [] }
        guard !choice.records.isEmpty else {
            cells.putCut(
                choice.isAsking
                    ? "asking \(choice.server)…" : "there is nothing to choose; W fetches words",
                row: top, column: 1, style: .faint)
            return []
        }
        let length = choice.seconds.map { " (\(ClockTime(seconds: $0)))" } ?? ""
        cells.putCut(
            "which words are those of \(choice.song)\(length)?", row: top, column: 1, style: .strong
        )
        let end = cells.columns - 1
        for (number, record) in choice.records.enumerated() where top + 2 + number < rows.upperBound
        {
            let row = top + 2 + number
            let isSelected = number == choice.selected
            let style: CellStyle = isSelected ? .selected : .plain
            if isSelected { cells.put("▸", row: row, column: 1, style: style) }
            cells.put("\(number + 1)", row: row, column: 3, style: .accent)
            let start = cells.putRight(
                "\(record.detail)  \(difference(of: record))", row: row, end: end, style: .faint)
            let album = record.album.isEmpty ? "" : " · \(record.album)"
            cells.putCut(record.text + album, row: row, column: 6, end: start - 2, style: style)
        }
        return []
    }

    /// The length, and by how much it differs from the song's.
    private func difference(of record: ScreenState.WordsChoice.Record) -> String {
        guard let seconds = record.seconds else { return "length not known" }
        let text = "\(ClockTime(seconds: seconds))"
        guard let own = choice.seconds, abs(seconds - own) > Self.closest else { return text }
        let difference = Int(nearest: abs(seconds - own))
        return "\(text), \(difference) s \(seconds > own ? "longer" : "shorter")"
    }
}
