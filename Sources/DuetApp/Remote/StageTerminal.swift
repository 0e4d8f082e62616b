import AudioGraph

/// A terminal elsewhere that shows what singers see: its size, and what it can show. The line of a command
/// tells it to the duet that draws.
struct StageTerminal: Sendable, Equatable {
    var columns: Int
    var rows: Int
    var look: TerminalLook
    var letters: LetterWays
    /// How it draws pictures by itself; nil: not at all.
    var graphics: TerminalGraphics?

    static let command = "stage"

    init(
        columns: Int, rows: Int, look: TerminalLook, letters: LetterWays,
        graphics: TerminalGraphics?
    ) {
        self.columns = min(max(1, columns), Self.mostColumns)
        self.rows = min(max(1, rows), Self.mostRows)
        (self.look, self.letters) = (look, letters)
        self.graphics =
            switch graphics {
            case .kitty(let aspect): Self.aspects.contains(aspect) ? graphics : nil
            case .sixel(let cell):
                cell.width <= Self.mostPixels && cell.height <= Self.mostPixels ? graphics : nil
            case nil: nil
            }
    }

    /// What the duet that draws does for another terminal.
    private static let (mostColumns, mostRows, mostPixels) = (500, 200, 1000)
    private static let aspects = 0.1...10

    var line: String {
        var words = [
            Self.command, "\(columns)", "\(rows)", "\(look.colours.rawValue)",
            look.isASCII ? "1" : "0", "\(look.ground.rawValue)", letters.way.rawValue,
            letters.hasDoubleLines ? "1" : "0",
        ]
        switch graphics {
        case .kitty(let aspect): words += ["kitty", fixed(aspect, digits: 3)]
        case .sixel(let cell): words += ["sixel", "\(cell.width)x\(cell.height)"]
        case nil: break
        }
        return words.joined(separator: " ")
    }

    /// Nil where the line is not of this form, or has sizes that no terminal has.
    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 8 || words.count == 10, words[0] == Self.command,
            let columns = Int(words[1]), (1...Self.mostColumns).contains(columns),
            let rows = Int(words[2]), (1...Self.mostRows).contains(rows),
            let colours = Int(words[3]).flatMap(TerminalLook.Colours.init),
            let isASCII = Self.flag(words[4]),
            let ground = Int(words[5]).flatMap(TerminalLook.Ground.init),
            let way = LetterWays.Way(rawValue: words[6]), let hasDouble = Self.flag(words[7])
        else { return nil }
        look = TerminalLook(colours: colours, isASCII: isASCII)
        look.ground = ground
        (self.columns, self.rows) = (columns, rows)
        letters = LetterWays(way: way, hasDoubleLines: hasDouble)
        guard words.count == 10 else { return }
        let size = words[9].split(separator: "x").compactMap { Int($0) }
        if words[8] == "kitty", let aspect = Double(words[9]), Self.aspects.contains(aspect) {
            graphics = .kitty(aspect: aspect)
        } else if words[8] == "sixel", size.count == 2,
            size.allSatisfy({ (1...Self.mostPixels).contains($0) })
        {
            graphics = .sixel(cell: PixelSize(width: size[0], height: size[1]))
        } else {
            return nil
        }
    }

    private static func flag(_ word: String) -> Bool? { ["0": false, "1": true][word] }
}

/// What singers see of a run, drawn for a terminal elsewhere.
struct Stage {
    private let terminal: StageTerminal
    private var painter = ScreenPainter()

    init(on terminal: StageTerminal) { self.terminal = terminal }

    /// The bytes that show `screen`: its words or its picture, without what is the host's alone.
    mutating func draw(_ screen: ScreenState) -> [UInt8] {
        var screen = screen
        (screen.view, screen.page, screen.letters) = (.words, nil, terminal.letters)
        screen.graphics = screen.picture == nil ? nil : terminal.graphics
        (screen.status.note, screen.status.typed, screen.status.typedNote) = (nil, nil, nil)
        screen.newestLine = nil
        screen.hints = [KeyHelp(keys: "q", help: "ends this view alone")]
        let (columns, rows) = (terminal.columns, terminal.rows)
        let least = ScreenLayout.smallest
        let cells: Cells
        if columns >= least.columns, rows >= least.rows {
            cells = ScreenLayout(screen, columns: columns, rows: rows, look: terminal.look).cells
        } else {
            var small = Cells(columns: columns, rows: rows, look: terminal.look)
            small.put("too small: \(least.columns)×\(least.rows) needed", row: 0, column: 0)
            cells = small
        }
        return painter.draw(cells, anew: painter.drawsAll(of: cells))
    }
}
