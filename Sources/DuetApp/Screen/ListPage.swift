/// The list of songs, on a page of its own: the selected one in the middle where the list is longer
/// than the page.
struct ListPage: ScreenPage {
    private let list: ScreenState.List
    /// The key that adds a song; nil if none does.
    private let addKey: String?

    init(_ state: ScreenState) { (list, addKey) = (state.list ?? ScreenState.List(), state.addKey) }

    /// Draws a line of facts, and below it a song a row.
    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first else { return [] }
        guard let selected = list.selected, list.count > 0 else {
            cells.put(
                "Empty list" + (addKey.map { "; press \($0) to add a song" } ?? "") + ".", row: top,
                column: 1, style: .faint)
            return []
        }
        cells.put("song \(selected + 1) of \(list.count)", row: top, column: 1, style: .faint)
        let rows = rows.dropFirst()
        let start = max(0, min(selected - rows.count / 2, list.count - rows.count))
        let width = "\(list.count)".utf8.count
        var targets: [ScreenTarget] = []
        for (row, number) in zip(rows, start..<list.count) {
            let place = number - list.first
            guard list.songs.indices.contains(place) else { continue }
            let song = list.songs[place]
            let style: CellStyle =
                number == selected
                ? .selected
                : number == list.playing ? .strong : song.trouble == nil ? .plain : .faint
            if number == selected { cells.put("▸", row: row, column: 1, style: style) }
            if number == list.playing { cells.put("▶", row: row, column: 2, style: .accent) }
            cells.putRight("\(number + 1)", row: row, end: 4 + width, style: .faint)
            cells.put(
                song.text + (song.trouble.map { " (\($0))" } ?? ""), row: row, column: 6 + width,
                style: style)
            targets.append(
                ScreenTarget(
                    kind: .song(number + 1), rows: row..<(row + 1), columns: 0..<cells.columns))
        }
        return targets
    }
}
