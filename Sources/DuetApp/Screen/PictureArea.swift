/// The moving picture of a karaoke song, as large as there is room for.
struct PictureArea {
    let picture: Picture
    /// How the terminal draws it by itself; nil: in cells, two pixels each.
    let graphics: TerminalGraphics?

    /// How many rows it takes where `rows` may be taken, and the levels need `others`: all, unless there are
    /// so many that it stays large beside them.
    static func count(of rows: Int, others: Int) -> Int {
        rows - others >= 30 ? rows - others : rows
    }

    /// Draws it into the middle of these rows.
    func draw(into cells: inout Cells, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        let size = picture.size(
            columns: cells.columns, rows: rows.count, aspect: graphics?.aspect ?? 2,
            stretch: graphics == nil ? 1.4 : 1)
        let left = (cells.columns - size.columns) / 2
        let top = rows.lowerBound + (rows.count - size.rows) / 2
        let place = (rows: top..<(top + size.rows), columns: left..<(left + size.columns))
        if let graphics {
            cells.image = CellImage(
                picture: picture, graphics: graphics, rows: place.rows, columns: place.columns)
        } else {
            cells.draw(picture, rows: place.rows, columns: place.columns)
        }
    }
}
