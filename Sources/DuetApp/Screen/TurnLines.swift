/// What stands in place of the words while nobody sings: who is next, with which song, and who comes then.
struct TurnLines {
    let turn: ScreenState.Turn
    let ways: LetterWays

    /// Rows below the large ones: how to begin, who comes then, and how long all takes; a gap before them.
    private static let smallRows = 4

    func draw(into cells: inout Cells, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        let small = min(Self.smallRows, rows.count / 2)
        let large = rows.dropLast(small)
        // Who sings stands above the song, which is never larger.
        let texts = [turn.singer, turn.song].filter { !$0.isEmpty }
        var sizes = LargeWords.sizes(
            ways, in: large.count / max(1, texts.count), isASCII: cells.look.isASCII)
        let height = large.count / max(1, texts.count)
        for (number, text) in texts.enumerated() {
            let top = large.lowerBound + number * height
            let line = LargeLine(text, sizes: sizes, columns: 0..<cells.columns, height: height)
            line.draw(
                into: &cells, row: top + (height - line.height) / 2,
                // The singer's name is lit.
                sung: number == 0 && texts.count > 1 ? Double(CellWidth.of(text)) : 0, singer: nil)
            sizes = Array(sizes.drop { $0 != line.size })
        }
        let lines: [(text: String, style: CellStyle)] = [
            (turn.start, .accent), (turn.then, .plain), (turn.rest, .faint),
        ]
        for (number, line) in lines.suffix(max(0, small - 1)).enumerated() {
            let text = CellWidth.cut(line.text, columns: cells.columns - 2)
            cells.put(
                text, row: rows.upperBound - min(small - 1, lines.count) + number,
                column: max(1, (cells.columns - CellWidth.of(text)) / 2), style: line.style)
        }
    }
}
