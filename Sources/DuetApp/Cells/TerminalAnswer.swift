import Glibc

/// What a terminal answers that was asked what it is and what it draws.
enum TerminalAnswer: Sendable, Equatable {
    /// It has Kitty's graphics.
    case kitty
    /// The colour behind its text.
    case background(Picture.Colour)
    /// Where its cursor is, counted from 1.
    case cursor(row: Int, column: Int)
    /// The answer that every terminal gives, the last.
    case attributes(hasSixel: Bool)

    /// What stands between this program and the glass.
    enum Path {
        /// A terminal.
        case terminal
        /// tmux, which takes Kitty's question for a title.
        case tmux
        /// screen, or Linux's console: both may print what they do not know.
        case simple

        /// Of this process, by its environment.
        static var own: Path {
            let name = getenv("TERM").map { String(cString: $0) } ?? ""
            if getenv("TMUX") != nil || name.hasPrefix("tmux") { return .tmux }
            return name.hasPrefix("screen") || name == "linux" ? .simple : .terminal
        }
    }

    /// The rows in which the cursor is asked for.
    static let (scaledRow, doubleRow) = (2, 3)

    /// Whether a screen is large enough to be written on by what asks.
    static func fits(_ columns: Int, _ rows: Int) -> Bool { columns >= 10 && rows >= doubleRow }

    /// The bytes that ask. On a terminal they move the cursor and write: the screen is to be drawn behind them.
    static func question(on path: Path) -> [UInt8] {
        let kitty = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
        // OSC 11: the colour behind text (xterm, ctlseqs).
        let background = "\u{1B}]11;?\u{1B}\\"
        // A scaled blank moves the cursor by two where it is known (Kitty's text sizing protocol, OSC 66).
        let scaled = "\u{1B}[\(scaledRow);1H\u{1B}]66;s=2; \u{1B}\\\u{1B}[6n"
        // A line of double width (DECDWL) has half of the columns where it is real.
        let double = "\u{1B}[\(doubleRow);1H\u{1B}#6\u{1B}[999C\u{1B}[6n\u{1B}#5"
        let attributes = "\u{1B}[c"
        let text =
            switch path {
            case .terminal: kitty + background + scaled + double + attributes
            case .tmux: background + attributes
            case .simple: attributes
            }
        return Array(text.utf8)
    }

    /// The answer of an APC or OSC string without its ends, such as `Gi=31;OK` or `11;rgb:1e1e/1e1e/2e2e`; nil
    /// where it is another.
    init?(string: some Collection<UInt8>) {
        if string.starts(with: "Gi=31".utf8), string.suffix(3).elementsEqual(";OK".utf8) {
            self = .kitty
        } else if let colour = Picture.Colour(answer: string) {
            self = .background(colour)
        } else {
            return nil
        }
    }

    /// The answer of a sequence ESC `[` with these parameters and a final byte, such as `?62;4;22` and `c`; nil
    /// where it is another.
    init?(parameters: [UInt8], final: UInt8) {
        let words = parameters.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        switch final {
        case UInt8(ascii: "c") where parameters.first == UInt8(ascii: "?"):
            // The first number is the terminal's class; 4 stands for sixels.
            self = .attributes(hasSixel: words.dropFirst().contains { $0.elementsEqual("4".utf8) })
        case UInt8(ascii: "R") where words.count == 2:
            let numbers = words.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            // F3 with a modifier has the same form, in row 1.
            guard numbers.count == 2, (2...1000).contains(numbers[0]),
                (1...10_000).contains(numbers[1])
            else { return nil }
            self = .cursor(row: numbers[0], column: numbers[1])
        default: return nil
        }
    }
}

extension Picture.Colour {
    /// The colour of an answer `11;rgb:…/…/…`, of one to four hexadecimal digits a channel (XParseColor).
    fileprivate init?(answer: some Collection<UInt8>) {
        let begin = "11;rgb:"
        guard answer.starts(with: begin.utf8) else { return nil }
        let channels = answer.dropFirst(begin.utf8.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).compactMap { digits -> UInt8? in
            guard (1...4).contains(digits.count),
                let value = Int(String(decoding: digits, as: UTF8.self), radix: 16), value >= 0
            else { return nil }
            return UInt8(value * 255 / ((1 << (4 * digits.count)) - 1))
        }
        guard channels.count == 3 else { return nil }
        self.init(red: channels[0], green: channels[1], blue: channels[2])
    }
}

/// What is known of a terminal by its answers.
struct TerminalFacts: Sendable, Equatable {
    /// Whether it has given the last answer.
    private(set) var isComplete = false
    private(set) var hasKittyGraphics = false
    private(set) var hasSixel = false
    /// The colour behind its text; nil: it is not known.
    private(set) var background: Picture.Colour?
    /// Whether it draws text in any scale (OSC 66).
    private(set) var hasScaledText = false
    /// Whether it has lines of double height.
    private(set) var hasDoubleLines = false

    /// What is behind its text.
    var ground: TerminalLook.Ground { background.map { TerminalLook.Ground($0) } ?? .unknown }

    /// How it draws pictures by itself; nil: not at all, or that is not known.
    ///
    /// - Parameter cell: pixels of a cell, which sixels need to know; nil: not known.
    func graphics(cell: PixelSize?) -> TerminalGraphics? {
        if hasKittyGraphics {
            return .kitty(aspect: cell.map { Double($0.height) / Double($0.width) } ?? 2)
        }
        return hasSixel ? cell.map { .sixel(cell: $0) } : nil
    }

    /// - Parameter columns: of the terminal.
    mutating func take(_ answer: TerminalAnswer, columns: Int) {
        guard !isComplete else { return }
        switch answer {
        case .kitty: hasKittyGraphics = true
        case .background(let colour): background = colour
        case .cursor(TerminalAnswer.scaledRow, let column): hasScaledText = column == 3
        case .cursor(TerminalAnswer.doubleRow, let column):
            hasDoubleLines = column > 1 && 2 * column <= columns + 1
        case .cursor: break
        case .attributes(let hasSixel): (isComplete, self.hasSixel) = (true, hasSixel)
        }
    }
}
