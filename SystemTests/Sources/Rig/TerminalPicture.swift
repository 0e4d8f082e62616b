/// What a terminal shows after the bytes that it was sent: as much of ECMA-48 and xterm as duet
/// uses, and anything else is counted as `unknown`.
public struct TerminalPicture {
    public let columns: Int
    public let rows: Int
    private let width: (_ of: Character, _ room: Int) -> Int
    /// The private modes that are on.
    public private(set) var modes: Set<Int> = [25]
    public private(set) var unknown: [String] = []
    /// Rows of double height, by the upper half.
    public private(set) var doubleRows: Set<Int> = []
    /// Characters that were scaled, and by how much.
    public private(set) var scales: [Character: Int] = [:]
    private var screen: Screen
    /// The normal screen, while the alternate one is shown.
    private var normal: (screen: Screen, row: Int, column: Int)?
    private var row = 0
    private var column = 0
    private var pen = ""
    private var rest: [Unicode.Scalar] = []

    private struct Screen: Equatable {
        /// Each place's characters; empty for the right half of a wide one.
        var texts: [[String]]
        var pens: [[String]]
    }

    /// A blank terminal.
    ///
    /// - Parameter width: how many places a character takes, of which so many are left in its row.
    public init(
        columns: Int, rows: Int,
        width: @escaping (_ of: Character, _ room: Int) -> Int = { of, _ in Self.width(of: of) }
    ) {
        self.columns = columns
        self.rows = rows
        self.width = width
        screen = Self.blank(columns, rows)
    }

    /// Two places for what East Asian scripts and emoji have, one for all else.
    public static func width(of character: Character) -> Int {
        switch character.unicodeScalars.first!.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            2
        default: 1
        }
    }

    private static func blank(_ columns: Int, _ rows: Int) -> Screen {
        Screen(
            texts: Array(repeating: Array(repeating: " ", count: columns), count: rows),
            pens: Array(repeating: Array(repeating: "", count: columns), count: rows))
    }

    /// Whether the alternate screen is shown.
    public var isAlternate: Bool { modes.contains(1049) }

    /// A row's text, without the blanks at its end.
    public func text(row: Int) -> String {
        var text = screen.texts[row].joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The characters of a place; empty for the right half of a wide one.
    public func text(row: Int, column: Int) -> String { screen.texts[row][column] }

    /// The characters of all places, and their styles.
    public var cells: some Equatable { screen }

    public var lines: [String] { (0..<rows).map { text(row: $0) } }

    /// The parameters of the last style (SGR) of a place.
    public func style(row: Int, column: Int) -> String { screen.pens[row][column] }

    public mutating func feed(_ text: String) {
        let scalars = rest + Array(text.unicodeScalars)
        rest = []
        var place = 0
        while place < scalars.count {
            if scalars[place] == "\u{1B}" {
                guard let end = Self.end(of: scalars[place...]) else {
                    rest = Array(scalars[place...])
                    return
                }
                if end.isWhole {
                    obey(String(String.UnicodeScalarView(scalars[(place + 1)..<end.place])))
                }
                place = end.place
                continue
            }
            // A run without controls, as the clusters of which terminals make places.
            let end = scalars[place...].firstIndex { $0.value < 0x20 } ?? scalars.count
            for character in String(String.UnicodeScalarView(scalars[place..<end])) {
                show(character)
            }
            place = end
            if end < scalars.count, scalars[end] != "\u{1B}" {
                control(scalars[end])
                place += 1
            }
        }
    }

    /// Behind the sequence that `scalars` begin with; nil while more of it may come. ESC cancels it
    /// (xterm, VT500), and begins another.
    private static func end(
        of scalars: ArraySlice<Unicode.Scalar>
    ) -> (place: Int, isWhole: Bool)? {
        let first = scalars.startIndex
        guard scalars.count > 1 else { return nil }
        switch scalars[first + 1] {
        case "[": break
        // A line's size has one more character; strings go on to ST or BEL.
        case "#": return scalars.count > 2 ? (first + 3, true) : nil
        case "]", "_", "P":
            let end = scalars[(first + 2)...].firstIndex { $0 == "\u{1B}" || $0 == "\u{7}" }
            guard let end else { return nil }
            guard scalars[end] == "\u{1B}" else { return (end + 1, true) }
            return end + 1 < scalars.endIndex ? (end + 2, true) : nil
        default: return (first + 2, true)
        }
        let end = scalars[(first + 2)...].firstIndex {
            (0x40...0x7E).contains($0.value) || $0 == "\u{1B}"
        }
        return end.map { scalars[$0] == "\u{1B}" ? ($0, false) : ($0 + 1, true) }
    }

    private mutating func control(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\r": column = 0
        case "\n":
            column = 0
            lineFeed()
        default: unknown.append("\(scalar.value)")
        }
    }

    private mutating func lineFeed() {
        guard row == rows - 1 else {
            row += 1
            return
        }
        screen.texts.removeFirst()
        screen.texts.append(Array(repeating: " ", count: columns))
        screen.pens.removeFirst()
        screen.pens.append(Array(repeating: "", count: columns))
    }

    private mutating func show(_ character: Character) {
        let width = width(character, columns - column)
        if column + width > columns {
            column = 0
            lineFeed()
        }
        for place in column..<min(column + width, columns) {
            // A half of what was wide goes with the other half.
            if place == column, screen.texts[row][place].isEmpty, place > 0 {
                screen.texts[row][place - 1] = " "
            }
            screen.texts[row][place] = place == column ? String(character) : ""
            screen.pens[row][place] = pen
        }
        if column + width < columns, screen.texts[row][column + width].isEmpty {
            screen.texts[row][column + width] = " "
        }
        column += width
    }

    private mutating func obey(_ sequence: String) {
        // A terminal that knows no strings passes them over.
        if sequence.first == "]" || sequence.first == "_" { return take(string: sequence) }
        if sequence.first == "#" {
            if sequence == "#3" { doubleRows.insert(row) } else { doubleRows.remove(row) }
            return
        }
        guard sequence.first == "[", let final = sequence.last else {
            unknown.append(sequence)
            return
        }
        let words = sequence.dropFirst().dropLast()
        let numbers = words.split(separator: ";").map { Int($0) ?? -1 }
        switch final {
        case "H":
            // A terminal brings places beyond its edges to them.
            row = min(max((numbers.first ?? 1) - 1, 0), rows - 1)
            column = min(max((numbers.dropFirst().first ?? 1) - 1, 0), columns - 1)
        case "m": pen = words == "0" ? "" : String(words)
        case "J" where words == "2": screen = Self.blank(columns, rows)
        case "J" where words.isEmpty:
            for place in column..<max(column, columns) { screen.texts[row][place] = " " }
            for below in (row + 1)..<max(row + 1, rows) {
                screen.texts[below] = Array(repeating: " ", count: columns)
            }
        case "K": for place in column..<max(column, columns) { screen.texts[row][place] = " " }
        case "A": row = max(0, row - (numbers.first ?? 1))
        case "C": column = min(columns - 1, column + (numbers.first ?? 1))
        // Questions.
        case "c" where words.isEmpty, "n" where words == "6": break
        case "h" where words.first == "?": set(Int(words.dropFirst()) ?? 0, true)
        case "l" where words.first == "?": set(Int(words.dropFirst()) ?? 0, false)
        default: unknown.append(sequence)
        }
    }

    /// Takes text that is scaled, as Kitty does: each character covers so many cells each way.
    private mutating func take(string: String) {
        guard string.hasPrefix("]66;s=") else { return }
        let parts = string.dropFirst(6).split(separator: ";", maxSplits: 1)
        guard parts.count == 2, let scale = Int(parts[0]) else { return }
        for character in parts[1].prefix(while: { !"\u{1B}\u{7}".contains($0) }) {
            let width = width(character, columns - column) * scale
            for down in row..<min(row + scale, rows) {
                for across in column..<min(column + width, columns) {
                    screen.texts[down][across] = ""
                    screen.pens[down][across] = pen
                }
            }
            screen.texts[row][column] = String(character)
            if character != " " { scales[character] = scale }
            column = min(column + width, columns - 1)
        }
    }

    private mutating func set(_ mode: Int, _ isOn: Bool) {
        if mode == 1049, isOn != isAlternate {
            if isOn {
                normal = (screen, row, column)
                screen = Self.blank(columns, rows)
            } else if let normal {
                (screen, row, column) = normal
            }
        }
        if isOn { modes.insert(mode) } else { modes.remove(mode) }
    }
}
