import SystemSupport

/// Words that get their times: a line a row, with the time at which it begins; the one that is marked next
/// stands in the middle.
struct TapPage: ScreenPage {
    private let tap: ScreenState.Tap

    init(_ state: ScreenState) { tap = state.tap ?? ScreenState.Tap() }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first else { return [] }
        guard !tap.lines.isEmpty else {
            cells.putCut(
                "space begins with the words of the song that plays", row: top, column: 1,
                style: .faint)
            return []
        }
        cells.putCut(headline, row: top, column: 1, style: .strong)
        let area = (top + 2)..<max(top + 2, rows.upperBound)
        let middle = tap.next ?? tap.lines.lastIndex { $0.start != nil } ?? 0
        let first = max(0, min(middle - area.count / 2, tap.lines.count - area.count))
        let column = tap.lines.contains { $0.end != nil } ? 15 : 10
        for (row, number) in zip(area, first..<tap.lines.count) {
            draw(number, into: &cells, row: row, column: column)
        }
        return []
    }

    private func draw(_ number: Int, into cells: inout Cells, row: Int, column: Int) {
        let line = tap.lines[number]
        let isNext = number == tap.next
        if isNext { cells.put("▸", row: row, column: 1, style: .accent) }
        if let start = line.start {
            let end = line.end.map { "–\(ClockTime(seconds: $0))" } ?? ""
            cells.put("\(ClockTime(seconds: start))\(end)", row: row, column: 3, style: .faint)
        }
        let room = cells.columns - 1 - column
        guard isNext, tap.isOfWords else {
            let style: CellStyle = isNext ? .strong : line.marked > 0 ? .sung : .plain
            return cells.putCut(line.words.joined(), row: row, column: column, style: style)
        }
        // What is longer than its row begins with the word that is next, or a few before.
        func width(_ words: ArraySlice<String>) -> Int { CellWidth.of(words.joined()) }
        var first = 0
        let seen = min(line.marked + 2, line.words.count)
        while first < line.marked, width(line.words[...]) > room,
            width(line.words[first..<seen]) + 2 > room
        { first += 1 }
        var place = column
        if first > 0 { place = cells.put("… ", row: row, column: place, style: .faint) }
        for (number, word) in line.words.enumerated().dropFirst(first) {
            let style: CellStyle =
                number == line.marked ? .selected : number < line.marked ? .sung : .strong
            place = cells.put(
                word, row: row, column: place, end: cells.columns - 1, style: style)
        }
    }

    /// What is marked, and how much of it.
    private var headline: String {
        let count = tap.lines.count
        let timed = tap.lines.count { $0.start != nil }
        let slow = tap.isSlow ? " · half tempo" : ""
        if tap.isOfWords {
            let words = tap.lines.reduce(0) { $0 + $1.words.count }
            let marked = tap.lines.reduce(0) { $0 + $1.marked }
            return marked == words
                ? "all \(words) words have their times; esc closes"
                : "tap each word as it is sung: \(marked) of \(words) marked\(slow)"
        }
        return tap.hasAllLines && tap.next == nil
            ? "all \(count) lines have their times; space: now each word"
            : "tap each line as it begins: \(timed) of \(count) marked\(slow)"
    }
}
