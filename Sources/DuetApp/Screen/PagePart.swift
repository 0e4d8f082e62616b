/// The part of a page that is shown, of entries that may need more rows than there are. If not all have room,
/// the last row says how to see the others.
struct PagePart {
    let entries: Range<Int>
    /// Whether the page goes on behind this part.
    let hasMore: Bool
    private let isWhole: Bool

    /// - Parameters:
    ///   - number: that of the part, from 0.
    ///   - count: of all entries, `perRow` of which stand in a row.
    init(_ number: Int, of count: Int, perRow: Int = 1, rows: Int) {
        guard count > rows * perRow else {
            (entries, isWhole, hasMore) = (0..<count, true, false)
            return
        }
        let size = max(1, rows - 1) * perRow
        let start = min(number, (count - 1) / size) * size
        let end = min(count, start + size)
        (entries, isWhole, hasMore) = (start..<end, false, end < count)
    }

    /// Says how the page goes on, in its last row.
    func drawWayOn(into cells: inout Cells, rows: Range<Int>) {
        if !isWhole { Self.drawWayOn(hasMore: hasMore, into: &cells, rows: rows) }
    }

    /// Says in the last row of a page that has parts how it goes on.
    static func drawWayOn(hasMore: Bool, into cells: inout Cells, rows: Range<Int>) {
        let text = hasMore ? "more: the same key again" : "the same key again closes this page"
        cells.put(text, row: rows.upperBound - 1, column: 1, style: .accent)
    }
}
