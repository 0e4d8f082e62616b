import AudioGraph
import AudioMedia

/// The line that is sung and those behind it, in letters as large as they fit.
struct LargeWords {
    /// A line at a place of its own: its number, and how much of it is sung, 0…1.
    private typealias Sung = (number: Int, part: Double)

    private let lyrics: ScreenState.Lyrics
    /// What stands before the lines of each singer.
    private let labels: [Lyrics.Singer: String]
    private let ways: LetterWays

    init(lyrics: ScreenState.Lyrics, ways: LetterWays) {
        (self.lyrics, self.ways) = (lyrics, ways)
        labels = LyricsLines.labels(of: lyrics)
    }

    /// The lines that are sung now, or the next one before it begins.
    private var present: [Sung] {
        if lyrics.pause == nil, let present = lyrics.present {
            return lyrics.others.map { ($0.number, $0.sung) } + [(present, lyrics.sung)]
        }
        return next(after: lyrics.present, isTimed: true).map { [($0, 0)] } ?? lyrics.present.map {
            [($0, lyrics.sung)]
        } ?? []
    }

    /// The next line with words.
    private func next(after number: Int?, isTimed: Bool = false) -> Int? {
        lyrics.lines.indices.dropFirst(number.map { $0 + 1 } ?? 0)
            .first { !lyrics.lines[$0].text.isEmpty && (lyrics.lines[$0].isTimed || !isTimed) }
    }

    /// Draws the words into rows that are the same for the whole song: where there is much room the line before,
    /// then two rows of the largest letters that leave room for the next line, a row for what belongs to the line
    /// that is sung, and below it what comes.
    ///
    /// - Returns: the countdown to the next line where it has no row; nil: it has, or there is none.
    func draw(into cells: inout Cells, rows: Range<Int>) -> String? {
        let present = present
        guard let last = present.last, !rows.isEmpty else { return nil }
        let top = rows.count >= Self.rowsWithLineBefore ? rows.lowerBound + 2 : rows.lowerBound
        let sizes = Self.sizes(ways, in: rows.upperBound - top, isASCII: cells.look.isASCII)
        // Two rows for each who sings at the same time, however small letters are.
        let most = max(2 * sizes[0].height, 2 * max(lyrics.together.count, present.count))
        let region = top..<min(rows.upperBound, top + most)
        if top > rows.lowerBound, let before = previous(before: present[0].number) {
            draw(before, into: &cells, rows: rows.lowerBound..<top, [.cells], isNext: true)
        }
        // No line that comes is larger than the one before it.
        var rest = sizes.drop { [size = draw(present, into: &cells, rows: region, sizes)] in
            $0 != size
        }
        let hasRow = region.upperBound < rows.upperBound
        if hasRow {
            let translation = lyrics.lines[last.number].translation
            let text = countdown ?? CellWidth.cut(translation, columns: cells.columns - 2)
            cells.put(
                text, row: region.upperBound, column: (cells.columns - CellWidth.of(text)) / 2,
                style: countdown == nil ? .faint : .accent)
        }
        var below = min(rows.upperBound, region.upperBound + 1)..<rows.upperBound
        var number = next(after: last.number)
        while let line = number, !below.isEmpty {
            let drawn = draw(line, into: &cells, rows: below, Array(rest), isNext: true)
            rest = rest.drop { $0 != drawn.size }
            below = min(below.upperBound, below.lowerBound + drawn.height + 1)..<below.upperBound
            number = next(after: line)
        }
        return hasRow ? nil : countdown
    }

    /// So many rows have the line before the one that is sung, too.
    private static let rowsWithLineBefore = 30

    /// The last line with words before another.
    private func previous(before number: Int) -> Int? {
        lyrics.lines[..<number].lastIndex { !$0.text.isEmpty }
    }

    /// The sizes of letters of which two rows leave room for the next line.
    static func sizes(
        _ ways: LetterWays, in rows: Int, isASCII: Bool
    ) -> [LetterSize] {
        let largest = LetterSize.quadrants(scale: 2).height
        var ways = ways
        // The font is made of characters beyond ASCII.
        if isASCII { ways.way = .cells }
        return ways.sizes(height: 5 * largest / 2 < rows ? largest : largest / 2)
    }

    /// Draws the lines of all who sing, each into its part of the rows. Who sings together with others at some
    /// place of the song has the same part for all of it.
    ///
    /// - Returns: the size of the largest.
    private func draw(
        _ lines: [Sung], into cells: inout Cells, rows: Range<Int>, _ sizes: [LetterSize]
    ) -> LetterSize {
        let places = lines.compactMap { line in
            lyrics.lines[line.number].singer.flatMap { lyrics.together.firstIndex(of: $0) }
        }
        let isFixed =
            places.count == lines.count && Set(places).count == lines.count
            && lyrics.together.count <= rows.count
        let height = rows.count / (isFixed ? lyrics.together.count : lines.count)
        let drawn = lines.enumerated().map { index, line in
            let top = rows.lowerBound + (isFixed ? places[index] : index) * height
            return draw(
                line.number, into: &cells, rows: top..<(top + height), sizes, part: line.part
            ).size
        }
        return sizes.first(where: drawn.contains) ?? .cells
    }

    /// Draws a line in the middle of the rows; the next lines stand below each other.
    ///
    @discardableResult private func draw(
        _ number: Int, into cells: inout Cells, rows: Range<Int>, _ sizes: [LetterSize],
        part: Double = 0, isNext: Bool = false
    ) -> LargeLine {
        let line = lyrics.lines[number]
        let label = line.singer.flatMap { labels[$0] }
        let large = LargeLine(
            line.text, sizes: sizes, columns: margin..<cells.columns, height: rows.count,
            rowsBeforeDouble: label == nil ? 0 : 1)
        let sung = part.isFinite ? min(max(part, 0), 1) * Double(CellWidth.of(line.text)) : 0
        var top = isNext ? rows.lowerBound : rows.lowerBound + (rows.count - large.height) / 2
        // A row of double height has no room for the name of a singer.
        if label != nil, large.size == .double, top + large.height <= rows.upperBound {
            top = max(top, rows.lowerBound + 1)
        }
        large.draw(into: &cells, row: top, sung: sung, singer: line.singer)
        if let singer = line.singer, let label, !rows.isEmpty {
            let row = large.size == .double ? top - 1 : top + (large.height - 1) / 2
            if row >= rows.lowerBound {
                cells.put(label, row: row, column: 1, style: .sung(by: singer))
            }
        }
        return large
    }

    /// The columns before all lines, for the names of singers.
    private var margin: Int { labels.values.map { CellWidth.of($0) + 1 }.max() ?? 0 }

    /// Draws what plays, where it has no words.
    static func drawTitle(
        _ title: String, ways: LetterWays, into cells: inout Cells, rows: Range<Int>
    ) {
        guard !title.isEmpty, !rows.isEmpty else { return }
        let line = LargeLine(
            title, sizes: sizes(ways, in: rows.count, isASCII: cells.look.isASCII),
            columns: 0..<cells.columns, height: rows.count)
        line.draw(
            into: &cells, row: rows.lowerBound + (rows.count - line.height) / 2, sung: 0,
            singer: nil)
    }

    /// What counts in the next line: seconds, then a point for each of the last three; nil: nothing does.
    private var countdown: String? {
        guard let pause = lyrics.pause, pause > 0, pause <= SongTime.longest else { return nil }
        let seconds = Int(pause.rounded(.up))
        return pause <= 3
            ? Array(repeating: "●", count: seconds).joined(separator: " ") : "in \(seconds) s"
    }
}
