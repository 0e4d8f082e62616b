import AudioGraph
import AudioMedia

/// The view for singers: words as large as they fit, the levels in one row, what is changed in another. Nothing
/// moves, whatever is changed or reported.
struct SingingView {
    /// The smallest screen that has it; on a smaller one the mixer has a line of words.
    static let smallest = (columns: 60, rows: 16)

    /// Whether a screen of this size has room for it.
    static func fits(columns: Int, rows: Int) -> Bool {
        columns >= smallest.columns && rows >= smallest.rows
    }

    let state: ScreenState

    /// Draws what stands between the place of the song and the note on the last key.
    func draw(into cells: inout Cells, rows: Range<Int>) {
        // Below the words stand the levels and what is changed.
        let rows = rows.dropLast(2)
        if let picture = state.picture {
            PictureArea(picture: picture, graphics: state.graphics).draw(into: &cells, rows: rows)
        } else if let lyrics = state.lyrics {
            LargeWords(lyrics: lyrics).draw(into: &cells, rows: rows)
        }
        drawLevels(into: &cells, row: rows.upperBound)
        let changes = (state.changes + state.effects).joined(separator: " · ")
        cells.putCut(changes, row: rows.upperBound + 1, column: 1, style: .accent)
    }

    // MARK: Levels

    /// A bar for each channel, its volume, and the latency of the microphone.
    private func drawLevels(into cells: inout Cells, row: Int) {
        var end = cells.columns - 1
        if let latency = state.status.latency {
            end =
                cells.putRight(
                    "ear \(fixed(latency, digits: 1)) ms", row: row, end: end,
                    style: Status.isDisturbing(latency) ? .loud : .faint) - 3
        }
        let width = (end - 1 + Self.gap) / max(1, state.strips.count) - Self.gap
        let name = state.strips.map { CellWidth.of($0.name) }.max() ?? 0
        for (number, strip) in state.strips.enumerated() {
            let column = 1 + number * (width + Self.gap)
            draw(strip, into: &cells, row: row, columns: column..<(column + width), name: name)
        }
    }

    private static let gap = 2
    /// The fewest cells of a bar that has its volume beside it, and the widest text there.
    private static let (leastBar, textWidth) = (4, 5)

    /// - Parameter name: the width of the longest name, so that bars begin at the same place.
    private func draw(
        _ strip: ScreenState.Strip, into cells: inout Cells, row: Int, columns: Range<Int>,
        name: Int
    ) {
        if strip.isUnconnected {
            let texts = ["\(strip.name): not connected", "\(strip.name): no input"]
            let text = texts.first { CellWidth.of($0) <= columns.count } ?? texts[1]
            cells.putCut(
                text, row: row, column: columns.lowerBound, end: columns.upperBound, style: .hot)
            return
        }
        cells.put(
            strip.name, row: row, column: columns.lowerBound, end: columns.upperBound)
        let state = strip.isMuted ? "muted" : strip.isHeld ? "held" : nil
        let start = columns.lowerBound + name + 1
        let room = columns.upperBound - start
        let hasText = state != nil || room > Self.textWidth + Self.leastBar
        if hasText {
            cells.putRight(
                state ?? strip.volume.replacing(" dB", with: ""), row: row, from: start,
                end: columns.upperBound, style: state == nil ? .plain : .hot)
        }
        let count = room - (hasText ? Self.textWidth + 1 : 0)
        let lit = Int(
            nearest: LevelMeter.part(of: max(strip.left.peak, strip.right.peak))
                * Double(max(0, count)))
        for place in 0..<max(0, count) {
            let isLit = place < lit
            cells.put(
                isLit ? "▇" : "░", row: row, column: start + place,
                style: isLit ? LevelMeter.style(at: (Double(place) + 0.5) / Double(count)) : .faint)
        }
    }
}

/// The line that is sung and those behind it, in letters as large as they fit.
struct LargeWords {
    /// A line at a place of its own: its number, and how much of it is sung, 0…1.
    private typealias Sung = (number: Int, part: Double)

    private let lyrics: ScreenState.Lyrics
    /// What stands before the lines of each singer.
    private let labels: [Lyrics.Singer: String]

    init(lyrics: ScreenState.Lyrics) {
        self.lyrics = lyrics
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
        let scale = rows.count >= 5 * LetterRow.height(1) + 1 ? 2 : 1
        let region = rows.prefix(min(rows.count, 2 * LetterRow.height(scale)))
        let bottom = draw(
            present, into: &cells, rows: region.startIndex..<region.endIndex, scale)
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
            let used = draw(
                line, into: &cells, rows: below, scale, isNext: true)
            guard used > 0 else { return }
            below = min(below.upperBound, below.lowerBound + used + 1)..<below.upperBound
            number = next(after: line)
        }
    }

    /// Draws the lines of all who sing, each into its part of the rows. Returns the row below the last one.
    private func draw(
        _ lines: [Sung], into cells: inout Cells, rows: Range<Int>, _ scale: Int
    ) -> Int {
        let height = rows.count / lines.count
        var bottom = rows.lowerBound
        for (index, line) in lines.enumerated() {
            let top = rows.lowerBound + index * height
            let used = draw(
                line.number, into: &cells, rows: top..<(top + height), scale, part: line.part)
            bottom = top + (height + used) / 2
        }
        return bottom
    }

    /// Draws a line in the largest letters in which it has room, two rows of them at most, in the middle of the
    /// rows; the next lines stand below each other.
    ///
    /// - Returns: how many rows it takes.
    private func draw(
        _ number: Int, into cells: inout Cells, rows: Range<Int>, _ scale: Int,
        part: Double = 0, isNext: Bool = false
    ) -> Int {
        let text = lyrics.lines[number].text
        if let singer = lyrics.lines[number].singer, let label = labels[singer], !rows.isEmpty {
            cells.put(label, row: rows.lowerBound, column: 1, style: .sung(by: singer))
        }
        let sung = part.isFinite ? min(max(part, 0), 1) * Double(CellWidth.of(text)) : 0
        for scale in stride(from: cells.look.isASCII ? 0 : scale, to: 0, by: -1) {
            let height = LetterRow.height(scale)
            guard
                let lines = LetterRow.rows(of: text, columns: cells.columns - 2, scale: scale),
                lines.count <= 2, lines.count * height <= rows.count
            else { continue }
            let top =
                isNext ? rows.lowerBound : rows.lowerBound + (rows.count - lines.count * height) / 2
            for (index, line) in lines.enumerated() {
                line.draw(
                    into: &cells, row: top + index * height,
                    column: (cells.columns - line.width * scale) / 2, scale: scale,
                    style: .faint,
                    sung: (sung, Self.style(of: lyrics.lines[number].singer)))
            }
            return lines.count * height
        }
        let all = LyricsLines.wrapped(text, columns: cells.columns - 2)
        let lines = all.prefix(rows.count)
        let top = isNext ? rows.lowerBound : rows.lowerBound + (rows.count - lines.count) / 2
        for (index, line) in lines.enumerated() {
            let isCut = index == lines.count - 1 && all.count > lines.count
            let text = line.text.withoutSpaceAround + (isCut ? "…" : "")
            let column = (cells.columns - CellWidth.of(text)) / 2
            cells.put(text, row: top + index, column: column, style: .faint)
            let end = min(Int(nearest: sung) - line.start, CellWidth.of(text))
            cells.restyle(
                row: top + index, columns: column..<(column + max(0, end)),
                .sung(by: lyrics.lines[number].singer))
        }
        return lines.count
    }

    /// The style of what a singer has sung, in letters, which are not underlined.
    private static func style(of singer: Lyrics.Singer?) -> CellStyle {
        switch singer {
        case .first, nil: .strong
        case .second: .accent
        case .both: .soft
        case .background: .plain
        }
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
