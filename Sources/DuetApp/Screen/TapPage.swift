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
                "this song has no words to time", row: top, column: 1, style: .faint)
            return []
        }
        cells.putCut(headline, row: top, column: 1, style: .strong)
        let area = (top + 2)..<max(top + 2, rows.upperBound)
        let middle = tap.next ?? tap.lines.lastIndex { $0.start != nil } ?? 0
        let first = max(0, min(middle - area.count / 2, tap.lines.count - area.count))
        for (row, number) in zip(area, first..<tap.lines.count) {
            let line = tap.lines[number]
            let isNext = number == tap.next
            if isNext { cells.put("▸", row: row, column: 1, style: .accent) }
            if let start = line.start {
                cells.put("\(ClockTime(seconds: start))", row: row, column: 3, style: .faint)
            }
            var column = 10
            for (place, word) in line.words.enumerated() {
                let style: CellStyle =
                    isNext && tap.isOfWords && place == line.marked
                    ? .selected : place < line.marked ? .sung : isNext ? .strong : .plain
                column = cells.put(
                    word, row: row, column: column, end: cells.columns - 1, style: style)
            }
        }
        return []
    }

    /// What is marked, and how much of it.
    private var headline: String {
        let count = tap.lines.count
        let timed = tap.lines.count { $0.start != nil }
        let slow = tap.isSlow ? " · half tempo" : ""
        if tap.isOfWords {
            let words = tap.lines.reduce(0) { $0 + $1.words.count }
            let marked = tap.lines.reduce(0) { $0 + $1.marked }
            return "tap each word as it is sung: \(marked) of \(words) marked\(slow)"
        }
        return tap.hasAllLines && tap.next == nil
            ? "all \(count) lines have their times; space goes on with each word, from the beginning"
            : "tap each line as it begins: \(timed) of \(count) marked\(slow)"
    }
}
