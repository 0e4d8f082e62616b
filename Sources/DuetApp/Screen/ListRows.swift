/// A part of the list of songs around the selected one: a line of facts, and below it a song a row.
struct ListRows {
    let list: ScreenState.List

    func draw(into cells: inout Cells, rows: Range<Int>, columns: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first, let selected = list.selected else { return [] }
        let left = columns.lowerBound
        cells.put("song \(selected + 1) of \(list.count)", row: top, column: left, style: .faint)
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
            if number == selected { cells.put("▸", row: row, column: left, style: style) }
            if number == list.playing { cells.put("▶", row: row, column: left + 1, style: .accent) }
            cells.putRight("\(number + 1)", row: row, end: left + 3 + width, style: .faint)
            cells.putCut(
                song.text + (song.trouble.map { " (\($0))" } ?? ""), row: row,
                column: left + 5 + width, end: columns.upperBound, style: style)
            targets.append(
                ScreenTarget(kind: .song(number + 1), rows: row..<(row + 1), columns: columns))
        }
        return targets
    }
}
