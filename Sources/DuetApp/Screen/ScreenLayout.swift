/// Where everything on the screen stands, at any size: a pure function of the state. What matters
/// least leaves first.
struct ScreenLayout {
    /// The smallest screen; on a smaller terminal the status line has more room.
    static let smallest = (columns: 40, rows: 10)

    private(set) var cells: Cells
    /// What can be pointed at.
    private(set) var targets: [ScreenTarget] = []
    /// Whether the page goes on behind the part that is shown.
    private(set) var hasMore = false

    init(_ state: ScreenState, columns: Int, rows: Int, look: TerminalLook) {
        var state = state
        let least = SingingView.smallest
        if state.page != nil || columns < least.columns || rows < least.rows { state.view = .mixer }
        cells = Cells(columns: columns, rows: rows, look: look)
        let head = HeadLines(state: state)
        head.drawTitle(into: &cells, row: 0)
        let (bar, rest) = head.drawTransport(into: &cells, row: 1)
        if let bar, let duration = state.status.duration {
            targets.append(
                ScreenTarget(kind: .bar(duration: duration), rows: 1..<2, columns: bar))
        }
        if state.view == .words {
            SingingView(state: state).draw(into: &cells, from: 2)
            return
        }
        let foot = FootLines(state: state).draw(
            into: &cells, rows: rows - 3 - StripBlock.leastRows)
        let middle = 2..<(rows - foot)
        if let page = state.page?.type.init(state) {
            targets += page.draw(into: &cells, rows: middle)
            hasMore = page.hasMore(columns: columns, rows: middle)
            return
        }
        targets += Self.drawLevels(state, changes: rest, into: &cells, rows: middle)
    }

    /// Draws all that stands between the transport and the keys.
    private static func drawLevels(
        _ state: ScreenState, changes: String, into cells: inout Cells, rows: Range<Int>
    ) -> [ScreenTarget] {
        var top = rows.lowerBound
        var spare = rows.count - StripBlock.leastRows
        // Where one row is left, it is that of the words.
        let wordsRows = state.lyrics?.present == nil ? 0 : 1
        if !changes.isEmpty, spare > wordsRows {
            cells.put(changes, row: top, column: 1, style: .accent)
            top += 1
            spare -= 1
        }
        if let picture = state.picture {
            let count = PictureArea.count(
                of: rows.upperBound - top, others: StripBlock.leastRows)
            PictureArea(picture: picture, graphics: state.graphics).draw(
                into: &cells, rows: top..<(top + count))
            top += count
            guard top < rows.upperBound else { return [] }
            spare = 0
        } else if let lyrics = state.lyrics {
            // Without times there is no present line to be shown alone.
            let isAlone = spare < 3 && lyrics.present == nil
            let count = isAlone ? 0 : LyricsLines.count(fitting: spare)
            LyricsLines(lyrics: lyrics, key: state.lyricsKey).draw(
                into: &cells, rows: top..<(top + count))
            top += count
            spare -= count
        }
        if spare > 2, state.lyrics == nil {
            top += 1
            spare -= 1
        }
        let strips = StripBlock(strips: state.strips, selected: state.selected)
        let (targets, right) = strips.draw(into: &cells, rows: top..<rows.upperBound)
        SidePanel(state: state).draw(
            into: &cells, rows: top..<rows.upperBound,
            columns: (right + 2)..<max(right + 2, cells.columns - 1))
        return targets
    }
}

extension Page {
    /// The type that draws it.
    var type: any ScreenPage.Type {
        switch self {
        case .help: HelpPage.self
        case .details: DetailsPage.self
        case .lyrics: LyricsPage.self
        case .list: ListPage.self
        }
    }
}
