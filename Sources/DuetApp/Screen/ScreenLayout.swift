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
        if state.page != nil || !SingingView.fits(columns: columns, rows: rows) {
            state.view = .mixer
        }
        cells = Cells(columns: columns, rows: rows, look: look)
        let head = HeadLines(state: state)
        head.drawTitle(into: &cells, row: 0)
        let bar = head.drawTransport(into: &cells, row: 1)
        if let bar, let duration = state.status.duration {
            targets.append(
                ScreenTarget(kind: .bar(duration: duration), rows: 1..<2, columns: bar))
        }
        let rows = 2..<(rows - FootLines.rows)
        if let page = state.page?.type.init(state) {
            targets += page.draw(into: &cells, rows: rows)
            hasMore = page.hasMore(columns: columns, rows: rows)
        } else if state.view == .words {
            SingingView(state: state).draw(into: &cells, rows: rows)
        } else {
            targets += MixerView(state: state).draw(into: &cells, rows: rows)
        }
        FootLines(state: state).draw(into: &cells)
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
        case .find: FindPage.self
        case .words: WordsPage.self
        case .tap: TapPage.self
        }
    }
}
