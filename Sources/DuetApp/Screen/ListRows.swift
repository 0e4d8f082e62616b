/// A part of the list of songs around the selected one: a line of facts, and below it a song a row.
struct ListRows {
    let list: ScreenState.List

    /// The fewest columns with a column for the artist, and the most of that for a singer.
    private static let (leastForArtist, mostOfSinger) = (72, 12)

    /// Where the parts of a row are.
    private struct Columns {
        let number: Int
        var singer: Range<Int>?
        var title: Range<Int>
        var artist: Range<Int>?
        /// Ends of what stands to the right.
        let (length, key): (Int?, Int?)
    }

    func draw(into cells: inout Cells, rows: Range<Int>, columns: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first, let selected = list.selected else { return [] }
        let left = columns.lowerBound
        cells.putCut(facts, row: top, column: left, end: columns.upperBound, style: .faint)
        let rows = rows.dropFirst()
        let start = max(0, min(selected - rows.count / 2, list.count - rows.count))
        let seen = list.songs.dropFirst(max(0, start - list.first)).prefix(rows.count)
        let parts = parts(of: columns, songs: Array(seen))
        var targets: [ScreenTarget] = []
        for (row, number) in zip(rows, start..<list.count) {
            let place = number - list.first
            guard list.songs.indices.contains(place) else { continue }
            draw(list.songs[place], number, into: &cells, row: row, left: left, parts)
            targets.append(
                ScreenTarget(kind: .song(number + 1), rows: row..<(row + 1), columns: columns))
        }
        return targets
    }

    private func draw(
        _ song: ScreenState.List.Song, _ number: Int, into cells: inout Cells, row: Int, left: Int,
        _ parts: Columns
    ) {
        let style: CellStyle =
            number == list.selected
            ? .selected
            : number == list.playing ? .strong : song.trouble == nil ? .plain : .faint
        if number == list.selected { cells.put("▸", row: row, column: left, style: style) }
        if number == list.playing { cells.put("▶", row: row, column: left + 1, style: .accent) }
        cells.putRight("\(number + 1)", row: row, end: parts.number, style: .faint)
        func put(_ text: String, _ columns: Range<Int>?) {
            guard let columns else { return }
            cells.putCut(
                text, row: row, column: columns.lowerBound, end: columns.upperBound, style: style)
        }
        put(song.singer, parts.singer)
        let end = parts.key ?? parts.length ?? parts.artist?.upperBound ?? parts.title.upperBound
        let backing = song.backing.map { " (\($0))" } ?? ""
        if let trouble = song.trouble {
            put("\(song.title) (\(trouble))", parts.title.lowerBound..<end)
        } else if let artist = parts.artist {
            put(song.title + backing, parts.title)
            put(song.artist, artist)
        } else {
            let names = [song.artist, song.title].filter { !$0.isEmpty }
            put(names.joined(separator: " – ") + backing, parts.title)
        }
        guard song.trouble == nil else { return }
        if let length = parts.length {
            cells.putRight(song.length, row: row, end: length, style: style)
        }
        if let key = parts.key { cells.putRight(song.key, row: row, end: key, style: style) }
    }

    /// What is shown of each song, where there is anything of it.
    private func parts(of columns: Range<Int>, songs: [ScreenState.List.Song]) -> Columns {
        let number = columns.lowerBound + 3 + "\(list.count)".utf8.count
        var end = columns.upperBound
        func takeRight(_ texts: [String]) -> Int? {
            let width = texts.lazy.map(\.utf8.count).max() ?? 0
            guard width > 0 else { return nil }
            defer { end -= width + 2 }
            return end
        }
        // From the right.
        let key = takeRight(songs.map(\.key))
        let length = takeRight(songs.map(\.length))
        var start = number + 2
        var singer: Range<Int>?
        let width = min(Self.mostOfSinger, songs.lazy.map { CellWidth.of($0.singer) }.max() ?? 0)
        if width > 0, end - start >= 3 * width {
            singer = start..<(start + width)
            start += width + 2
        }
        guard columns.count >= Self.leastForArtist, songs.contains(where: { !$0.artist.isEmpty })
        else {
            return Columns(
                number: number, singer: singer, title: start..<max(start, end), length: length,
                key: key)
        }
        let middle = start + (end - start) * 3 / 5
        return Columns(
            number: number, singer: singer, title: start..<(middle - 2), artist: middle..<end,
            length: length, key: key)
    }

    /// Which song plays, which one is selected and when it comes, and how long all of them take.
    private var facts: String {
        var facts = [
            list.playing.map { "song \($0 + 1) of \(list.count)" }
                ?? "\(list.count) \(list.count == 1 ? "song" : "songs")"
        ]
        if let selected = list.selected, selected != list.playing {
            let wait = list.wait.map { " in about \(ListTimes.text($0))" } ?? ""
            facts.append("selected: \(selected + 1)\(wait)")
        }
        if let seconds = list.secondsLeft { facts.append("\(ListTimes.text(seconds)) to the end") }
        return facts.joined(separator: " · ")
    }
}
