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

    /// Rows of cells that it takes at a scale.
    static func height(_ scale: Int) -> Int { Letter.height / 2 * scale }

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
    ///   - scale: 1: four pixels a cell; 2: a cell for each pixel.
    ///   - sung: how many places of the line are sung, and the style of what is.
    func draw(
        into cells: inout Cells, row: Int, column: Int, scale: Int, style: CellStyle,
        sung: (places: Double, style: CellStyle)? = nil
    ) {
        for place in letters {
            let part = sung.map {
                ($0.places - Double(place.before)) / Double(max(1, place.places))
            }
            let lit = Int(nearest: min(max(part ?? 0, 0), 1) * Double(place.letter.cells * scale))
            for across in 0..<(place.letter.cells * scale) {
                let style = across < lit ? sung?.style ?? style : style
                for down in 0..<Self.height(scale) {
                    let scalar = Self.scalar(place.letter, row: down, column: across, scale)
                    guard scalar != " " else { continue }
                    cells.put(
                        scalar, row: row + down, column: column + place.start * scale + across,
                        style: style)
                }
            }
        }
    }

    private static func scalar(
        _ letter: Letter, row: Int, column: Int, _ scale: Int
    ) -> Unicode.Scalar {
        guard scale == 1 else {
            return letter.hasPixel(row: 2 * row / scale, column: 2 * column / scale) ? "█" : " "
        }
        var number = 0
        for (bit, (down, across)) in [(0, 0), (0, 1), (1, 0), (1, 1)].enumerated()
        where letter.hasPixel(row: 2 * row + down, column: 2 * column + across) {
            number |= 1 << bit
        }
        return quadrants[number]
    }

    /// By their pixels: above left, above right, below left, below right.
    private static let quadrants: [Unicode.Scalar] = [
        " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]
}
