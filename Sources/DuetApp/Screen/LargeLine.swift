import AudioGraph
import AudioMedia

/// A line of words in the largest letters in which it has room.
struct LargeLine {
    private enum Rows {
        case letters([LetterRow])
        case text([LyricsLines.Row])

        var count: Int {
            switch self {
            case .letters(let rows): rows.count
            case .text(let rows): rows.count
            }
        }
    }

    private let rows: Rows
    let size: LetterSize
    private let columns: Range<Int>
    /// Whether more of the line follows than there is room for.
    private var isCut = false

    /// Most rows of letters of a line; one that needs more goes down a size. Lines of double height are the last
    /// size above all other text: they may be as many as fit.
    private static func mostRows(of size: LetterSize) -> Int { size == .double ? .max : 2 }

    /// - Parameters:
    ///   - sizes: the largest first, the last of which is `cells`.
    ///   - columns: those that it may take, of which one stays free at each side.
    ///   - height: of all rows of cells that there are.
    ///   - rowsBeforeDouble: those that stay free above lines of double height.
    init(
        _ text: String, sizes: [LetterSize], columns: Range<Int>, height: Int,
        rowsBeforeDouble: Int = 0
    ) {
        self.columns = columns
        let room = columns.count - 2
        for size in sizes where size != .cells {
            guard let rows = Self.rows(of: text, size, columns: room) else { continue }
            if rows.count <= Self.mostRows(of: size),
                rows.count * size.height <= height - (size == .double ? rowsBeforeDouble : 0)
            {
                (self.rows, self.size) = (rows, size)
                return
            }
        }
        let all = LyricsLines.wrapped(text, columns: max(1, room))
        (rows, size) = (.text(Array(all.prefix(height))), .cells)
        isCut = all.count > height
    }

    /// The rows of a line in letters of a size; nil if a word is longer than a row, or the font lacks a letter.
    private static func rows(of text: String, _ size: LetterSize, columns: Int) -> Rows? {
        switch size {
        case .scaled(let scale): return textRows(of: text, columns: columns / scale)
        case .double:
            // xterm 379 crashes where a line of double height needs a second font: measured with Hebrew, Thai,
            // Devanagari, Japanese and emoji. The first one has Latin.
            guard text.unicodeScalars.allSatisfy(Self.isLatin) else { return nil }
            return textRows(of: text, columns: columns / 2)
        case .quadrants(let scale):
            return LetterRow.rows(of: text, columns: columns, scale: scale).map { .letters($0) }
        case .octants:
            return LetterRow.rows(of: text, columns: columns, scale: 1).map { .letters($0) }
        case .cells: return nil
        }
    }

    /// Whether a character is of Latin, up to Latin Extended-B, or of its dashes, quotes and dots.
    private static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
        (0x20..<0x250).contains(scalar.value) || (0x2010...0x2026).contains(scalar.value)
    }

    private static func textRows(of text: String, columns: Int) -> Rows? {
        let longest = text.split(separator: " ").map { word in
            // Between characters of two places a line may be broken.
            word.contains { CellWidth.of($0) == 2 } ? 2 : CellWidth.of(String(word))
        }.max()
        guard let longest, longest <= columns else { return nil }
        return .text(LyricsLines.wrapped(text, columns: columns))
    }

    /// Rows of cells that it takes.
    var height: Int { rows.count * size.height }

    /// The column in which what has so many of them begins.
    private func start(_ width: Int) -> Int {
        max(columns.lowerBound, columns.lowerBound + (columns.count - width) / 2)
    }

    /// Draws it, row by row in the middle of the screen.
    ///
    /// - Parameter sung: how many places of it are sung.
    func draw(into cells: inout Cells, row: Int, sung: Double, singer: Lyrics.Singer?) {
        switch rows {
        case .letters(let rows):
            let scale = if case .quadrants(let scale) = size { scale } else { 1 }
            for (index, line) in rows.enumerated() {
                line.draw(
                    into: &cells, row: row + index * size.height,
                    column: start(line.width * scale), size: size, sung: sung,
                    styles: (.ahead, .lit(by: singer)))
            }
        case .text(let rows):
            for (index, line) in rows.enumerated() {
                let isLast = index == rows.count - 1
                draw(
                    line.text.withoutSpaceAround + (isCut && isLast ? "…" : ""),
                    into: &cells, row: row + index * size.height,
                    sung: Int(nearest: sung) - line.start, singer)
            }
        }
    }

    private func draw(
        _ text: String, into cells: inout Cells, row: Int, sung: Int, _ singer: Lyrics.Singer?
    ) {
        let width = CellWidth.of(text)
        let lit = CellStyle.sung(by: singer)
        switch size {
        case .scaled(let scale):
            let start = start(width * scale)
            var place = 0
            for character in text {
                cells.put(
                    character, scale: scale, row: row, column: start + place * scale,
                    style: place < sung ? lit : .ahead)
                place += CellWidth.of(character)
            }
        case .double:
            let start = start(2 * width) / 2
            cells.putDouble(text, row: row, column: start, style: .ahead)
            let end = start + min(max(0, sung), width)
            for row in [row, row + 1] { cells.restyle(row: row, columns: start..<end, lit) }
        case .cells, .quadrants, .octants:
            let start = start(width)
            cells.put(text, row: row, column: start, style: .ahead)
            cells.restyle(row: row, columns: start..<(start + min(max(0, sung), width)), lit)
        }
    }
}

extension CellStyle {
    /// The style of what a singer has sung in letters that are made of cells; nil: nobody is named.
    fileprivate static func lit(by singer: Lyrics.Singer?) -> CellStyle {
        switch singer {
        case .first, nil: .lit
        case .second: .litSecond
        case .both: .litBoth
        case .background: .litBehind
        }
    }
}
