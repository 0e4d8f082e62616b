/// How large letters are, and what draws them.
enum LetterSize: Sendable, Equatable {
    /// The terminal itself (OSC 66): so many cells high, and as many wide for each place of the text.
    case scaled(Int)
    /// duet's own font, four pixels a cell; with `scale` 2 a cell for each pixel.
    case quadrants(scale: Int)
    /// duet's own font, eight pixels a cell.
    case octants
    /// The terminal itself, on lines of double height (DECDHL).
    case double
    /// The terminal itself, as all else.
    case cells

    /// Rows of cells that a row of letters takes.
    var height: Int {
        switch self {
        case .scaled(let scale): scale
        case .quadrants(let scale): Letter.height / 2 * scale
        case .octants: (Letter.height + 3) / 4
        case .double: 2
        case .cells: 1
        }
    }
}

/// What draws large letters.
struct LetterWays: Sendable, Equatable {
    enum Way: String, Sendable, CaseIterable {
        /// Nothing: words stay as small as all else.
        case cells = "small"
        /// duet's own font.
        case quadrants = "blocks"
        /// The same, and a smaller size of it that only some fonts of terminals can show (Unicode 16).
        case octants
        /// The terminal itself.
        case scaled
    }

    /// What a user asks for.
    enum Choice: String, CaseIterable {
        case automatic = "auto"
        case small, blocks, octants, scaled

        var way: Way? { Way(rawValue: rawValue) }
    }

    var way = Way.quadrants
    /// Whether the terminal has lines of double height.
    var hasDoubleLines = false

    init(way: Way = .quadrants, hasDoubleLines: Bool = false) {
        (self.way, self.hasDoubleLines) = (way, hasDoubleLines)
    }

    /// As a terminal can by its answers, or as the user has chosen.
    init(on terminal: TerminalFacts, choice: Way?) {
        let canScale = terminal.hasScaledText || choice == .scaled && !terminal.isComplete
        way = choice.flatMap { $0 == .scaled ? nil : $0 } ?? (canScale ? .scaled : .quadrants)
        hasDoubleLines = terminal.hasDoubleLines && choice != .cells
    }

    /// The sizes, the largest first, of which a row of letters takes `height` rows of cells at most.
    func sizes(height: Int) -> [LetterSize] {
        let large: [LetterSize] =
            switch way {
            case .cells: []
            case .scaled:
                stride(from: min(Cells.mostScale, height), through: 2, by: -1).map { .scaled($0) }
            case .quadrants: [.quadrants(scale: 2), .quadrants(scale: 1)]
            case .octants: [.quadrants(scale: 2), .quadrants(scale: 1), .octants]
            }
        let rest: [LetterSize] = hasDoubleLines && way != .scaled ? [.double, .cells] : [.cells]
        return (large + rest).filter { $0.height <= max(1, height) }
    }
}
