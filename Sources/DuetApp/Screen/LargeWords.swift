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

    /// Draws the words into rows that are the same for the whole song: two rows of the largest letters that leave
    /// room for the next line, and below them what comes.
    func draw(into cells: inout Cells, rows: Range<Int>) {
        let present = present
        guard let last = present.last, !rows.isEmpty else { return }
        let sizes = Self.sizes(ways, in: rows.count, isASCII: cells.look.isASCII)
        let height = sizes[0].height
        let region = rows.prefix(min(rows.count, 2 * height))
        let bottom = draw(
            present, into: &cells, rows: region.startIndex..<region.endIndex, sizes)
        if let pause = lyrics.pause { drawPause(pause, into: &cells, row: bottom + 1) }
        let translation = lyrics.lines[last.number].translation
        if !translation.isEmpty, region.endIndex < rows.upperBound {
            let text = CellWidth.cut(translation, columns: cells.columns - 2)
            cells.put(
                text, row: region.endIndex, column: (cells.columns - CellWidth.of(text)) / 2,
                style: .faint)
        }
        var below = (region.endIndex + 1)..<max(region.endIndex + 1, rows.upperBound)
        var number = next(after: last.number)
        while let line = number, !below.isEmpty {
            let used = draw(line, into: &cells, rows: below, sizes, isNext: true)
            guard used > 0 else { return }
            below = min(below.upperBound, below.lowerBound + used + 1)..<below.upperBound
            number = next(after: line)
        }
    }

    /// The sizes of letters of which two rows leave room for the next line.
    private static func sizes(
        _ ways: LetterWays, in rows: Int, isASCII: Bool
    ) -> [LetterSize] {
        let largest = LetterSize.quadrants(scale: 2).height
        var ways = ways
        // The font is made of characters beyond ASCII.
        if isASCII { ways.way = .cells }
        return ways.sizes(height: 5 * largest / 2 < rows ? largest : largest / 2)
    }

    /// Draws the lines of all who sing, each into its part of the rows. Returns the row below the last one.
    private func draw(
        _ lines: [Sung], into cells: inout Cells, rows: Range<Int>, _ sizes: [LetterSize]
    ) -> Int {
        let height = rows.count / lines.count
        var bottom = rows.lowerBound
        for (index, line) in lines.enumerated() {
            let top = rows.lowerBound + index * height
            let used = draw(
                line.number, into: &cells, rows: top..<(top + height), sizes, part: line.part)
            bottom = top + (height + used) / 2
        }
        return bottom
    }

    /// Draws a line in the middle of the rows; the next lines stand below each other.
    ///
    /// - Returns: how many rows it takes.
    private func draw(
        _ number: Int, into cells: inout Cells, rows: Range<Int>, _ sizes: [LetterSize],
        part: Double = 0, isNext: Bool = false
    ) -> Int {
        let line = lyrics.lines[number]
        let large = LargeLine(
            line.text, sizes: sizes, columns: cells.columns, height: rows.count)
        let sung = part.isFinite ? min(max(part, 0), 1) * Double(CellWidth.of(line.text)) : 0
        var top = isNext ? rows.lowerBound : rows.lowerBound + (rows.count - large.height) / 2
        // A row of double height has no room for the name of a singer.
        let label = line.singer.flatMap { labels[$0] }
        if label != nil, large.isDouble, top + large.height < rows.upperBound {
            top = max(top, rows.lowerBound + 1)
        }
        if let singer = line.singer, let label, !rows.isEmpty {
            cells.put(label, row: rows.lowerBound, column: 1, style: .sung(by: singer))
        }
        large.draw(into: &cells, row: top, sung: sung, singer: line.singer)
        return large.height
    }

    /// Draws what plays, where it has no words.
    static func drawTitle(
        _ title: String, ways: LetterWays, into cells: inout Cells, rows: Range<Int>
    ) {
        guard !title.isEmpty, !rows.isEmpty else { return }
        let line = LargeLine(
            title, sizes: sizes(ways, in: rows.count, isASCII: cells.look.isASCII),
            columns: cells.columns, height: rows.count)
        line.draw(
            into: &cells, row: rows.lowerBound + (rows.count - line.height) / 2, sung: 0,
            singer: nil)
    }

    /// Counts in the next line: seconds, then a point for each of the last three.
    private func drawPause(_ pause: Double, into cells: inout Cells, row: Int) {
        guard pause > 0, pause <= SongTime.longest else { return }
        let seconds = Int(pause.rounded(.up))
        let text =
            pause <= 3
            ? Array(repeating: "●", count: seconds).joined(separator: " ") : "in \(seconds) s"
        cells.put(
            text, row: row, column: (cells.columns - CellWidth.of(text)) / 2, style: .accent)
    }
}
