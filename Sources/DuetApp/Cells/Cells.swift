/// What a terminal's screen shows: a grid of characters with their styles.
///
/// A value: what is put beyond its edges is left out.
struct Cells: Sendable, Equatable {
    let columns: Int
    let rows: Int
    let look: TerminalLook
    /// Row after row.
    private(set) var cells: [Cell]
    /// The characters that consist of several scalars, by their places.
    private(set) var clusters: [Int: String] = [:]
    /// What the terminal draws by itself over some of the cells; nil: nothing.
    var image: CellImage?
    /// Whether the terminal is to be asked what it is and what it draws.
    var asks = false
    /// Whether characters take more than a cell.
    private(set) var hasScaled = false
    /// Rows whose characters are twice as wide and, together with the row below, twice as high. Their columns
    /// are twice as wide, too.
    private(set) var doubleRows: Set<Int> = []

    /// A blank screen; at least one row and one column.
    init(columns: Int, rows: Int, look: TerminalLook) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.look = look
        cells = Array(repeating: .blank, count: self.columns * self.rows)
    }

    /// Puts `text` into a row from `column` on, up to before `end`: a wide character that would
    /// reach over it is left out, with all that follows.
    ///
    /// - Returns: the column after the text.
    @discardableResult mutating func put(
        _ text: String, row: Int, column: Int, end: Int = .max, style: CellStyle = .plain
    ) -> Int {
        let end = min(end, columns)
        guard (0..<rows).contains(row), column >= 0 else { return column }
        var place = column
        for character in text {
            let width = CellWidth.of(character)
            guard width > 0 else { continue }
            guard place + width <= end else { break }
            put(character, width, at: row * columns + place, style)
            place += width
        }
        return place
    }

    /// Puts `text` into a row up to before `end`, or the last column; what is cut ends in `…`.
    mutating func putCut(
        _ text: String, row: Int, column: Int, end: Int = .max, style: CellStyle = .plain
    ) {
        let room = min(end, columns - 1) - column
        put(CellWidth.cut(text, columns: room), row: row, column: column, style: style)
    }

    /// Puts `text` so that it ends before `end`; what is too long for the place from `start` on is
    /// cut at its end.
    ///
    /// - Returns: the column at which it begins.
    @discardableResult mutating func putRight(
        _ text: String, row: Int, from start: Int = 0, end: Int, style: CellStyle = .plain
    ) -> Int {
        let column = max(start, end - CellWidth.of(text))
        put(text, row: row, column: column, end: end, style: style)
        return column
    }

    /// Puts a character that is one place wide.
    mutating func put(
        _ scalar: Unicode.Scalar, row: Int, column: Int, style: CellStyle = .plain
    ) {
        guard (0..<rows).contains(row), (0..<columns).contains(column) else { return }
        set(look.shown(scalar).value, at: row * columns + column, style)
    }

    /// Puts a part of a picture, one place wide.
    mutating func put(
        _ scalar: Unicode.Scalar, _ paint: CellPaint, row: Int, column: Int
    ) {
        guard (0..<rows).contains(row), (0..<columns).contains(column) else { return }
        set(scalar.value, at: row * columns + column, .plain)
        cells[row * columns + column].paint = paint
    }

    /// The largest scale of a character.
    static let mostScale = 7

    /// Puts a character that takes `scale` cells each way for each of its places, 1…`mostScale`, with its first
    /// cell in that row and column; it is left out where it has no room.
    mutating func put(
        _ character: Character, scale: Int, row: Int, column: Int, style: CellStyle
    ) {
        let width = CellWidth.of(character) * scale
        guard width > 0, (1...Self.mostScale).contains(scale), row >= 0, row + scale <= rows,
            column >= 0, column + width <= columns
        else { return }
        for down in row..<(row + scale) {
            for across in column..<(column + width) {
                let index = down * columns + across
                set(Cell.blank.scalar, at: index, style)
            }
        }
        for down in row..<(row + scale) {
            for across in column..<(column + width) { cells[down * columns + across].scalar = 0 }
        }
        let (index, scalars) = (row * columns + column, character.unicodeScalars)
        cells[index].scalar = scalars[scalars.startIndex].value
        cells[index].scale = UInt8(scale)
        if scalars.count > 1 { clusters[index] = String(character) }
        hasScaled = true
    }

    /// Puts `text` into a row of double height and the one below it; `column` and the width of what has room
    /// count in columns that are twice as wide.
    mutating func putDouble(_ text: String, row: Int, column: Int, style: CellStyle) {
        guard row >= 0, row + 2 <= rows else { return }
        doubleRows.insert(row)
        for row in row...(row + 1) {
            clear(row: row)
            put(text, row: row, column: column, end: columns / 2, style: style)
        }
    }

    /// Shows a part of a row in another style.
    mutating func restyle(row: Int, columns part: Range<Int>, _ style: CellStyle) {
        guard (0..<rows).contains(row) else { return }
        for column in part.clamped(to: 0..<columns) { cells[row * columns + column].style = style }
    }

    private mutating func put(
        _ character: Character, _ width: Int, at index: Int, _ style: CellStyle
    ) {
        let scalars = character.unicodeScalars
        let first = scalars[scalars.startIndex]
        set(look.shown(first).value, at: index, style)
        if width == 2 { set(look.isASCII ? Cell.blank.scalar : 0, at: index + 1, style) }
        if !look.isASCII, scalars.count > 1 { clusters[index] = String(character) }
    }

    private mutating func set(_ scalar: UInt32, at index: Int, _ style: CellStyle) {
        if hasScaled { clearScaled(at: index) }
        // What is left of a wide character that is half covered is blank.
        if cells[index].isRightHalf, scalar != 0 { clear(index - 1) }
        if index + 1 < cells.count, cells[index + 1].isRightHalf, scaledHead(of: index + 1) == nil {
            clear(index + 1)
        }
        if !clusters.isEmpty { clusters[index] = nil }
        cells[index] = Cell(scalar: scalar, style: style)
    }

    /// Blanks a row.
    mutating func clear(row: Int) {
        guard (0..<rows).contains(row) else { return }
        for index in (row * columns)..<((row + 1) * columns) {
            if hasScaled { clearScaled(at: index) }
            cells[index] = .blank
            clusters[index] = nil
        }
    }

    /// The first cell of the scaled character that covers a place; nil: none does.
    private func scaledHead(of index: Int) -> Int? {
        guard hasScaled, cells[index].scale > 0 || cells[index].isRightHalf else { return nil }
        let (row, column) = (index / columns, index % columns)
        for up in max(0, row - Self.mostScale + 1)...row {
            for left in max(0, column - 2 * Self.mostScale + 1)...column {
                let head = up * columns + left
                let scale = Int(cells[head].scale)
                guard scale > 0, row < up + scale else { continue }
                if column < left + CellWidth.of(character(at: head)) * scale { return head }
            }
        }
        return nil
    }

    /// Blanks all cells of the scaled character that covers a place: a part of it is not shown.
    private mutating func clearScaled(at index: Int) {
        guard let head = scaledHead(of: index) else { return }
        let scale = Int(cells[head].scale)
        let width = CellWidth.of(character(at: head)) * scale
        for down in 0..<scale {
            for across in 0..<width { cells[head + down * columns + across] = .blank }
        }
        clusters[head] = nil
    }

    private mutating func clear(_ index: Int) {
        cells[index].scalar = Cell.blank.scalar
        clusters[index] = nil
    }

    /// The character that begins at a place.
    func character(at index: Int) -> Character {
        clusters[index]?.first
            ?? Unicode.Scalar(cells[index].scalar).map { Character($0) } ?? " "
    }

    /// A row as text, without the blanks at its end.
    func text(row: Int) -> String {
        var text = ""
        for index in (row * columns)..<((row + 1) * columns) where !cells[index].isRightHalf {
            text.append(character(at: index))
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}
