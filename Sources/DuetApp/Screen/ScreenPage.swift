/// A page of the screen, in place of the levels.
protocol ScreenPage {
    init(_ state: ScreenState)

    /// The keys that are named below the page; nil: those of the key table.
    static var hints: [KeyHelp]? { get }

    /// Draws the page. Returns what can be pointed at.
    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget]

    /// Whether the page goes on behind the part that is shown.
    func hasMore(columns: Int, rows: Range<Int>) -> Bool
}

extension ScreenPage {
    static var hints: [KeyHelp]? { nil }
    func hasMore(columns: Int, rows: Range<Int>) -> Bool { false }
}
