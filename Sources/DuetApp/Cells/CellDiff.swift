/// The bytes that turn one picture on a terminal into another: cursor movements, styles where they
/// change, and the characters that differ.
struct CellDiff {
    private let new: Cells
    private(set) var bytes: [UInt8] = []
    /// The place at which the terminal's cursor is; nil: not known.
    private var cursor: Int?
    private var pen = CellStyle.plain
    /// The colours of what was drawn last of a picture; nil: it was text.
    private var ink: CellPaint?

    /// - Parameter old: what the terminal shows, in plain style; nil where that is not known, so that
    ///   all is drawn. So it is after a change of the size.
    init(from old: Cells?, to new: Cells) {
        self.new = new
        let isKnown = old?.columns == new.columns && old?.rows == new.rows
        // ECMA-48: all attributes off, erase the screen.
        if !isKnown { bytes = Array("\u{1B}[m\u{1B}[2J".utf8) }
        var old =
            isKnown ? old! : Cells(columns: new.columns, rows: new.rows, look: new.look)
        // DECDHL, and DECSWL for a line that has one size again; erased, as it may keep half of its text.
        let haveDouble = !old.doubleRows.isEmpty || !new.doubleRows.isEmpty
        for row in 0..<new.rows
        where haveDouble && Self.size(of: row, in: new) != Self.size(of: row, in: old) {
            bytes += "\u{1B}[\(row + 1);1H\u{1B}#\(Self.size(of: row, in: new))\u{1B}[2K".utf8
            old.clear(row: row)
        }
        let haveClusters = !old.clusters.isEmpty || !new.clusters.isEmpty
        /// What a doubtful character may have covered.
        var doubtful: Int?
        for index in new.cells.indices {
            let isSame =
                old.cells[index] == new.cells[index]
                && (!haveClusters || old.clusters[index] == new.clusters[index])
            // A right half comes with its left one.
            guard !isSame || index == doubtful, !new.cells[index].isRightHalf else { continue }
            doubtful = draw(index)
        }
        if pen != .plain || ink != nil { use(.plain, nil) }
    }

    /// Of a longer one the first scalar is shown: a string has 4096 bytes at most (OSC 66).
    private static let longestCluster = 256

    /// The number of the sequence ESC `#` that gives a row its size: upper half, lower half, or one line.
    private static func size(of row: Int, in cells: Cells) -> Int {
        cells.doubleRows.contains(row) ? 3 : cells.doubleRows.contains(row - 1) ? 4 : 5
    }

    /// Returns the next place of the row, where it is not certain that the terminal left it as it was.
    private mutating func draw(_ index: Int) -> Int? {
        move(to: index)
        use(new.cells[index].style, new.cells[index].paint)
        let cell = new.cells[index]
        if cell.scale > 0 {
            // Kitty's text sizing protocol: the scale, and the width where terminals may differ in it.
            let (scale, cluster) = (Int(cell.scale), new.clusters[index])
            let width = CellWidth.of(new.character(at: index))
            let isDoubtful = CellWidth.isDoubtful(cell.scalar, isCluster: cluster != nil)
            bytes += "\u{1B}]66;s=\(scale)\(isDoubtful ? ":w=\(width)" : "");".utf8
            if let cluster, cluster.utf8.count <= Self.longestCluster {
                bytes += cluster.utf8
            } else {
                append(cell.scalar)
            }
            bytes += "\u{1B}\\".utf8
            let end = index + scale * width
            cursor = end % new.columns == 0 ? nil : end
            return nil
        }
        let isWide = index + 1 < new.cells.count && new.cells[index + 1].isRightHalf
        let cluster = new.clusters[index]
        let isDoubtful = CellWidth.isDoubtful(cell.scalar, isCluster: cluster != nil)
        if isDoubtful, isWide {
            // Where the terminal shows it narrow, nothing old stays beside it.
            bytes += [0x20, 0x20]
            cursor = nil
            move(to: index)
        }
        if let cluster { bytes += cluster.utf8 } else { append(cell.scalar) }
        let next = index + (isWide ? 2 : 1)
        // After the last column terminals differ in where the cursor is.
        let isAtEnd = next % new.columns == 0
        cursor = isDoubtful || isAtEnd ? nil : next
        return isDoubtful && !isAtEnd ? next : nil
    }

    private mutating func move(to index: Int) {
        guard cursor != index else { return }
        // A few characters are shorter than a movement.
        if let cursor, cursor < index, index - cursor <= 4,
            cursor / new.columns == index / new.columns,
            (cursor..<index).allSatisfy({
                new.cells[$0].style == pen && new.cells[$0].paint == ink
                    && (0x20..<0x7F).contains(new.cells[$0].scalar)
                    && new.clusters[$0] == nil && new.cells[$0].scale == 0
            })
        {
            for place in cursor..<index { append(new.cells[place].scalar) }
            return
        }
        bytes += [0x1B, 0x5B]
        append(number: index / new.columns + 1)
        bytes.append(0x3B)
        append(number: index % new.columns + 1)
        bytes.append(0x48)
    }

    private mutating func use(_ style: CellStyle, _ paint: CellPaint?) {
        guard pen != style || ink != paint else { return }
        bytes += paint.map(new.look.bytes(of:)) ?? new.look.bytes(of: style)
        (pen, ink) = (style, paint)
    }

    private mutating func append(_ scalar: UInt32) {
        guard scalar >= 0x80 else { return bytes.append(UInt8(scalar)) }
        if let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) {
            bytes += encoded
        }
    }

    private mutating func append(number: Int) {
        if number >= 10 { append(number: number / 10) }
        bytes.append(0x30 + UInt8(number % 10))
    }
}
