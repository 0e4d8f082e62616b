import AudioGraph

/// The words that are sung now, between those before and after them.
struct LyricsLines {
    let lyrics: ScreenState.Lyrics

    /// How many rows they take where `spare` may be taken: with blank ones around them, without, or
    /// the present line alone.
    static func count(fitting spare: Int) -> Int { spare >= 5 ? 5 : spare >= 3 ? 3 : max(0, spare) }

    func draw(into cells: inout Cells, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        let present = rows.lowerBound + (rows.count - 1) / 2
        if rows.count >= 3 {
            cells.put(lyrics.previous, row: present - 1, column: 6, style: .faint)
            cells.put(lyrics.next, row: present + 1, column: 6, style: .faint)
        }
        cells.put("▸", row: present, column: 3, style: .accent)
        let width = CellWidth.of(lyrics.present)
        let sung = Int(nearest: min(max(lyrics.sung, 0), 1) * Double(width))
        // Of a line that is too long, what is sung stands in the middle.
        let room = max(0, cells.columns - 7)
        let passed = CellWidth.prefix(
            of: lyrics.present, columns: min(sung - room / 2, width - room))
        let end = cells.put(
            String(lyrics.present.dropFirst(passed.count)), row: present, column: 6, style: .strong)
        let sungEnd = min(end, 6 + max(0, sung - CellWidth.of(String(passed))))
        cells.restyle(row: present, columns: 6..<sungEnd, .sung)
    }
}
