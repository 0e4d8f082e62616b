/// A row of large letters: a part of a line that has room in a row.
struct LetterRow: Sendable, Equatable {
    private struct Place: Sendable, Equatable {
        let letter: Letter
        /// The cell that it begins with, at scale 1.
        let start: Int
        /// How many places of the line stand before it, and how many it has.
        let (before, places): (Int, Int)
    }

    private var letters: [Place] = []
    /// In cells, at scale 1, without the gap at the end.
    private(set) var width = 0

    /// The rows of a line on so many columns, broken between words; nil if the font lacks a letter of it, or a
    /// word is longer than a row.
    static func rows(of text: String, columns: Int, scale: Int) -> [LetterRow]? {
        let room = columns / scale
        var rows = [LetterRow()]
        var places = 0
        for (number, word) in text.split(separator: " ", omittingEmptySubsequences: false)
            .enumerated()
        {
            if number > 0 { places += 1 }
            guard !word.isEmpty else { continue }
            var row = LetterRow()
            for character in word {
                guard let letter = LetterFont.letter(for: character) else { return nil }
                row.add(letter, before: places, places: CellWidth.of(character))
                places += CellWidth.of(character)
            }
            guard row.width <= room else { return nil }
            let last = rows.count - 1
            if rows[last].letters.isEmpty {
                rows[last] = row
            } else if rows[last].width + spaceWidth + row.width <= room {
                rows[last].append(row)
            } else {
                rows.append(row)
            }
        }
        return rows[0].letters.isEmpty ? nil : rows
    }

    /// Cells between two words: the gap behind a letter belongs to it.
    private static let spaceWidth = 2

    private mutating func add(_ letter: Letter, before: Int, places: Int) {
        let start = letters.last.map { $0.start + $0.letter.cells } ?? 0
        letters.append(Place(letter: letter, start: start, before: before, places: places))
        width = start + (letter.width + 1) / 2
    }

    private mutating func append(_ word: LetterRow) {
        let start = (letters.last.map { $0.start + $0.letter.cells } ?? 0) + Self.spaceWidth
        letters += word.letters.map {
            Place(
                letter: $0.letter, start: start + $0.start, before: $0.before, places: $0.places)
        }
        width = start + word.width
    }

    /// Draws it, with the letters' first cell in a column.
    ///
    /// - Parameters:
    ///   - size: one of duet's own font.
    ///   - sung: how many places of the line are sung.
    ///   - styles: those of what is not sung and of what is.
    func draw(
        into cells: inout Cells, row: Int, column: Int, size: LetterSize, sung: Double,
        styles: (ahead: CellStyle, lit: CellStyle)
    ) {
        let scale = if case .quadrants(let scale) = size { scale } else { 1 }
        let look = cells.look
        let needsLine =
            [.none, .sixteen].contains(look.colours) || look.ground == .middle
        for place in letters {
            let part = (sung - Double(place.before)) / Double(max(1, place.places))
            let lit = Int(nearest: min(max(part, 0), 1) * Double(place.letter.cells * scale))
            for across in 0..<(place.letter.cells * scale) {
                let style = across < lit ? styles.lit : styles.ahead
                for down in 0..<size.height {
                    var scalar = Self.scalar(place.letter, row: down, column: across, size)
                    // Where no colour of ours tells it, what is sung stands on a line.
                    if needsLine, across < lit, scalar == " ", down == size.height - 1 {
                        scalar = "▁"
                    }
                    guard scalar != " " else { continue }
                    cells.put(
                        scalar, row: row + down, column: column + place.start * scale + across,
                        style: style)
                }
            }
        }
    }

    private static func scalar(
        _ letter: Letter, row: Int, column: Int, _ size: LetterSize
    ) -> Unicode.Scalar {
        func number(rows: Int) -> Int {
            var number = 0
            for down in 0..<rows {
                for across in 0..<2
                where letter.hasPixel(row: rows * row + down, column: 2 * column + across) {
                    number |= 1 << (2 * down + across)
                }
            }
            return number
        }
        return switch size {
        case .octants: octants[number(rows: 4)]
        case .quadrants(scale: 1): quadrants[number(rows: 2)]
        default: letter.hasPixel(row: row, column: column) ? "█" : " "
        }
    }

    /// By their pixels: above left, above right, below left, below right.
    private static let quadrants: [Unicode.Scalar] = [
        " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]

    /// By their pixels, row after row: those that Unicode 16 has added, in its order, between the older ones.
    private static let octants: [Unicode.Scalar] = {
        var older: [Int: UInt32] = [
            0x01: 0x1CEA8, 0x02: 0x1CEAB, 0x03: 0x1FB82, 0x14: 0x1FBE6, 0x28: 0x1FBE7,
            0x3F: 0x1FB85, 0x40: 0x1CEA3, 0x80: 0x1CEA0, 0xC0: 0x2582, 0xFC: 0x2586,
        ]
        for (number, scalar) in quadrants.enumerated() {
            // Each of its rows is two of an octant's.
            let (above, below) = (number & 3, number >> 2)
            older[above | above << 2 | below << 4 | below << 6] = scalar.value
        }
        var next: UInt32 = 0x1CD00
        return (0..<256).map { number in
            if let value = older[number] { return Unicode.Scalar(value) ?? " " }
            defer { next += 1 }
            return Unicode.Scalar(next) ?? " "
        }
    }()
}
