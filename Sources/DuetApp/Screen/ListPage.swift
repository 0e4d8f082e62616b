/// The list of songs, on a page of its own: the selected one in the middle where the list is longer
/// than the page.
struct ListPage: ScreenPage {
    private let list: ScreenState.List
    /// The key that adds a song; nil if none does.
    private let addKey: String?

    init(_ state: ScreenState) { (list, addKey) = (state.list ?? ScreenState.List(), state.addKey) }

    func draw(into cells: inout Cells, rows: Range<Int>) -> [ScreenTarget] {
        guard let top = rows.first else { return [] }
        guard list.selected != nil, list.count > 0 else {
            cells.put(
                "Empty list" + (addKey.map { "; press \($0) to add a song" } ?? "") + ".", row: top,
                column: 1, style: .faint)
            return []
        }
        return ListRows(list: list).draw(into: &cells, rows: rows, columns: 1..<cells.columns)
    }
}
