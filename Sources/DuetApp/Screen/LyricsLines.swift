import AudioGraph
import AudioMedia

/// The line of the lyrics that is sung now, between those before and after it; what is longer than the
/// screen goes on in the next row.
struct LyricsLines {
    private let lyrics: ScreenState.Lyrics
    /// The key that shows them on their page; nil: none does.
    private let key: String?
    /// Whether they have a page of their own, where nothing else stands.
    private let isPage: Bool
    /// Where the mark of the present line stands, and where lines begin.
    private let mark: Int
    private let indent: Int
    /// What stands before the lines of each singer.
    private let labels: [Lyrics.Singer: String]

    init(lyrics: ScreenState.Lyrics, isPage: Bool = false, key: String? = nil) {
        (self.lyrics, self.isPage, self.key) = (lyrics, isPage, key)
        mark = isPage ? 1 : 3
        labels = Self.labels(of: lyrics)
        let widest = labels.values.map(CellWidth.of).max()
        indent = (isPage ? 3 : 6) + (widest.map { max(3, $0) + 1 } ?? 0)
    }

    /// Most places of a singer's name.
    private static let longestName = 10

    /// Their names, as far as they fit, or else their numbers.
    static func labels(of lyrics: ScreenState.Lyrics) -> [Lyrics.Singer: String] {
        let singers = Set(lyrics.lines.lazy.compactMap(\.singer))
        return Dictionary(
            uniqueKeysWithValues: singers.map { singer in
                guard let name = lyrics.singerNames[singer] else {
                    let isNamed = singer == .both && !lyrics.singerNames.isEmpty
                    return (singer, isNamed ? "both" : singer.mark)
                }
                guard CellWidth.of(name) > longestName else { return (singer, name) }
                return (singer, CellWidth.prefix(of: name, columns: longestName - 1) + "…")
            })
    }

    /// A row of the screen.
    struct Row: Equatable {
        /// Of a line, or of its translation.
        var text: String
        /// How many places of the line stand in the rows before this one.
        var start = 0
        /// Whose mark stands before the row; nil: no mark does.
        var singer: Lyrics.Singer?
        var isTranslation = false
    }

    /// How many rows they take where `spare` may be taken: with blank ones around them, without, or
    /// the present line alone; on a tall screen all that the strips have no use for.
    static func count(fitting spare: Int) -> Int {
        guard spare >= 5 else { return spare >= 3 ? 3 : max(0, spare) }
        let count = max(5, spare - (StripBlock.mostRows - StripBlock.leastRows))
        // The present line stands in the middle.
        return count - (1 - count % 2)
    }

    // MARK: Rows

    /// The rows of a line, on a screen of so many columns.
    ///
    /// - Parameter isWhole: whether its translation belongs to them.
    func rows(of number: Int, columns: Int, isWhole: Bool = true) -> [Row] {
        let (line, room) = (lyrics.lines[number], max(1, columns - indent - 1))
        var rows = Self.wrapped(line.text, columns: room)
        rows[0].singer = line.singer
        guard isWhole, !line.translation.isEmpty else { return rows }
        return rows
            + Self.wrapped(line.translation, columns: max(1, room - 2)).map {
                Row(text: $0.text, isTranslation: true)
            }
    }

    /// Parts a text into rows between its words, and before and behind characters of two places; a word
    /// that is longer than a row is parted anywhere.
    static func wrapped(_ text: String, columns: Int) -> [Row] {
        var rows: [Row] = []
        var (begin, start, width) = (text.startIndex, 0, 0)
        // Where the next row may begin, and how wide this one is then.
        var gap: (index: String.Index, width: Int)?
        var index = text.startIndex
        while index < text.endIndex {
            let own = CellWidth.of(text[index])
            if own == 2, index > begin { gap = (index, width) }
            if width + own > columns, text[index] != " ", index > begin {
                let end = gap ?? (index, width)
                rows.append(Row(text: String(text[begin..<end.index]), start: start))
                (begin, start, width, gap) = (end.index, start + end.width, width - end.width, nil)
                continue
            }
            width += own
            index = text.index(after: index)
            if own == 2 || text[text.index(before: index)] == " " { gap = (index, width) }
        }
        return rows + [Row(text: String(text[begin...]), start: start)]
    }

    // MARK: Drawing

    func draw(into cells: inout Cells, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        guard lyrics.isTimed else {
            let text =
                "these lyrics have no times"
                + (key.map { "; \($0) shows them, or times them by tapping" } ?? "")
            cells.put(text, row: rows.lowerBound + rows.count / 2, column: 6, style: .faint)
            return
        }
        // Before the first line nothing is sung, and the rows around it stay where they are.
        var block =
            lyrics.present.map { self.rows(of: $0, columns: cells.columns) } ?? [Row(text: "")]
        // A single row shows what comes while nothing is sung.
        let isAhead = rows.count == 1 && block.allSatisfy(\.text.isEmpty)
        if isAhead,
            let next = lyrics.lines.indices.dropFirst(lyrics.present.map { $0 + 1 } ?? 0)
                .first(where: { !lyrics.lines[$0].text.isEmpty })
        {
            block = self.rows(of: next, columns: cells.columns, isWhole: false)
        }
        let sung = places(lyrics.sung)
        // A page begins with the first line; elsewhere there are blank rows where there is room.
        var rows = rows
        if !isPage, rows.count >= 5, block.count + 4 <= rows.count {
            rows = (rows.lowerBound + 1)..<(rows.upperBound - 1)
        }
        let before = isPage ? rowsBefore(rows.count / 2, cells.columns) : nil
        let spare = max(0, rows.count - block.count)
        var top =
            rows.lowerBound + (before.map { min($0.count, rows.count / 2, spare) } ?? spare / 2)
        var shown = block[...]
        if block.count >= rows.count {
            // What is sung stands in the middle.
            let passed = places(lyrics.passed)
            let row = block.lastIndex { !$0.isTranslation && $0.start <= passed } ?? 0
            let first = min(max(0, row - rows.count / 2), block.count - rows.count)
            (top, shown) = (rows.lowerBound, block[first..<(first + rows.count)])
        }
        let above = (before ?? rowsBefore(top - rows.lowerBound, cells.columns))
            .suffix(top - rows.lowerBound)
        for (row, place) in zip(above, (top - above.count)..<top) {
            put(row, into: &cells, row: place, style: isPage ? .plain : .faint)
        }
        cells.put("▸", row: top, column: mark, style: .accent)
        for (row, place) in zip(shown, top..<rows.upperBound) {
            put(row, into: &cells, row: place, style: isAhead ? .faint : .plain)
            if rows.count == 1, row != block.last(where: { !$0.isTranslation }) {
                cells.put("…", row: place, column: cells.columns - 1, style: .faint)
            }
            guard !isAhead, !row.isTranslation, let present = lyrics.present else { continue }
            let end = min(sung - row.start, CellWidth.of(Self.trimmed(row.text)))
            let style = CellStyle.sung(by: lyrics.lines[present].singer)
            cells.restyle(row: place, columns: indent..<(indent + max(0, end)), style)
        }
        top += shown.count
        for number in lyrics.lines.indices.dropFirst(lyrics.present.map { $0 + 1 } ?? 0) {
            guard top < rows.upperBound else { break }
            let below = self.rows(of: number, columns: cells.columns, isWhole: isPage)
            for (row, place) in zip(below, top..<rows.upperBound) {
                put(row, into: &cells, row: place, style: isPage ? .plain : .faint)
            }
            top += below.count
        }
    }

    /// How many places a part of the present line has.
    private func places(_ part: Double) -> Int {
        guard let present = lyrics.present else { return 0 }
        let width = CellWidth.of(lyrics.lines[present].text)
        return Int(nearest: min(max(part, 0), 1) * Double(width))
    }

    /// The rows above the present line, `count` or a few more; fewer at the beginning.
    private func rowsBefore(_ count: Int, _ columns: Int) -> [Row] {
        var result: [Row] = []
        var number = lyrics.present ?? 0
        while number > 0, result.count < count {
            number -= 1
            result = rows(of: number, columns: columns, isWhole: isPage) + result
        }
        return result
    }

    /// Puts a row with the mark of its singer.
    func put(_ row: Row, into cells: inout Cells, row place: Int, style: CellStyle) {
        if let singer = row.singer, let label = labels[singer] {
            cells.put(
                label, row: place, column: isPage ? 3 : 6, style: CellStyle.sung(by: singer))
        }
        cells.put(
            Self.trimmed(row.text), row: place, column: indent + (row.isTranslation ? 2 : 0),
            style: row.isTranslation ? .faint : style)
    }

    private static func trimmed(_ text: String) -> String {
        String(
            text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)]
        )
    }
}

extension Lyrics.Singer {
    /// What stands before a line that they sing where nobody has a name: three places at most.
    fileprivate var mark: String {
        switch self {
        case .first: "1"
        case .second: "2"
        case .both: "1+2"
        case .background: "bg"
        }
    }
}

extension CellStyle {
    /// The style of what a singer has sung; nil: nobody is named.
    static func sung(by singer: Lyrics.Singer?) -> CellStyle {
        switch singer {
        case .first, nil: .sung
        case .second: .sungSecond
        case .both: .sungBoth
        case .background: .sungBehind
        }
    }
}
