import TestSupport
import Testing

@testable import DuetApp

/// The grid of characters, and the bytes that bring a terminal from one to another.
@Suite struct CellsTests {
    private static let look = TerminalLook(colours: .sixteen)

    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("世", 2), ("ｆ", 2), ("…", 1), ("━", 1), ("🎤", 2),
        ("❤\u{FE0F}", 2), ("👩‍🎤", 2), ("🇩🇪", 2), ("क्ष", 2), ("\u{301}", 0), ("\u{7}", 0),
        ("\u{200B}", 0), ("\u{FE0F}", 0),
        ("한", 2), ("\u{7F}", 0), ("\u{9B}", 0), ("\u{FFFD}", 1),
    ])
    func charactersHaveTheWidthOfTheCLibrary(text: String, width: Int) {
        #expect(CellWidth.of(text) == width)
    }

    @Test func textStaysWithinItsPlace() {
        var cells = Cells(columns: 10, rows: 2, look: Self.look)
        #expect(cells.put("abc", row: 0, column: 8) == 10)
        #expect(cells.put("世世", row: 1, column: 1, end: 4) == 3)
        #expect(cells.put("x", row: 2, column: 0) == 0)
        #expect(cells.putRight("right", row: 1, from: 4, end: 10) == 5)
        #expect(cells.putRight("too long", row: 0, from: 5, end: 8) == 5)
        #expect(cells.text(row: 0) == "     tooab" && cells.text(row: 1) == " 世  right")
    }

    @Test func halfOfAWideCharacterIsNeverLeft() {
        var cells = Cells(columns: 6, rows: 1, look: Self.look)
        cells.put("世界", row: 0, column: 0)
        cells.put("x", row: 0, column: 1)
        #expect(cells.text(row: 0) == " x界")
        cells.put("y", row: 0, column: 2)
        #expect(cells.text(row: 0) == " xy")
        cells.put("世", row: 0, column: 1)
        cells.put("界", row: 0, column: 2)
        #expect(cells.text(row: 0) == "  界")
    }

    @Test func whatIsBeyondASCIIIsReplaced() {
        var cells = Cells(
            columns: 20, rows: 1, look: TerminalLook(colours: .none, isASCII: true))
        cells.put("▶ ━╸─ é世 ’a· 👩‍🎤.", row: 0, column: 0)
        #expect(cells.text(row: 0) == "> =>- ??  'a, ? .")
        #expect(CellDiff(from: nil, to: cells).bytes.allSatisfy { $0 < 0x80 })
    }

    @Test func onlyWhatDiffersIsWritten() {
        var old = Cells(columns: 40, rows: 3, look: Self.look)
        old.put("the same text", row: 1, column: 2)
        var new = old
        #expect(CellDiff(from: old, to: new).bytes.isEmpty)
        new.put("x", row: 1, column: 6)
        #expect(CellDiff(from: old, to: new).bytes == Array("\u{1B}[2;7Hx".utf8))
        new.put("y", row: 1, column: 9, style: .hot)
        #expect(
            CellDiff(from: old, to: new).bytes
                == Array("\u{1B}[2;7Hxam\u{1B}[0;1;31my\u{1B}[0m".utf8))
        let smaller = Cells(columns: 39, rows: 3, look: Self.look)
        #expect(CellDiff(from: old, to: smaller).bytes == Array("\u{1B}[m\u{1B}[2J".utf8))
    }

    /// How wide terminals show the characters on which they differ.
    enum DoubtfulWidth: CaseIterable {
        case narrow, wide, veryWide

        func width(of character: Character, room: Int) -> Int {
            let (width, scalars) = (CellWidth.of(character), character.unicodeScalars)
            guard CellWidth.isDoubtful(scalars.first!.value, isCluster: scalars.count > 1) else {
                return width
            }
            switch self {
            case .narrow: return 1
            case .wide: return width
            // At the edge there is no place for more.
            case .veryWide: return min(width + 1, room)
            }
        }
    }

    /// Pictures one after the other, on terminals that differ in the width of some characters: what
    /// is shown is always the newest picture.
    @Test(arguments: DoubtfulWidth.allCases)
    func theTerminalShowsTheNewest(doubtful: DoubtfulWidth) {
        var random = SeededRandom(seed: 7)
        var terminal = TerminalPicture(columns: 24, rows: 5, width: doubtful.width)
        let texts = [
            "plain", "世界", "a", "e\u{301}e", " ", "▁▂▃█", "     ", "long text that is cut", "界",
            "🎤", "❤\u{FE0F}x", "👩‍🎤 duet",
        ]
        var old: Cells?
        for _ in 0..<400 {
            var new = old ?? Cells(columns: 24, rows: 5, look: Self.look)
            if Int.random(in: 0..<20, using: &random) == 0 {
                new = Cells(columns: 24, rows: 5, look: Self.look)
            }
            for _ in 0..<3 {
                new.put(
                    texts.randomElement(using: &random)!,
                    row: .random(in: 0..<5, using: &random),
                    column: .random(in: 0..<24, using: &random),
                    style: CellStyle.allCases.randomElement(using: &random)!)
            }
            terminal.feed(String(decoding: CellDiff(from: old, to: new).bytes, as: UTF8.self))
            for row in 0..<5 {
                for column in 0..<24 {
                    expect(terminal, shows: new, row: row, column: column, doubtful)
                }
            }
            #expect(terminal.unknown.isEmpty)
            old = new
        }
    }

    /// Expects that a place is as it should be. What the terminal makes of a doubtful character is
    /// its own affair; nothing of it, and nothing old, is left beside it.
    private func expect(
        _ terminal: TerminalPicture, shows cells: Cells, row: Int, column: Int,
        _ doubtful: DoubtfulWidth
    ) {
        let index = row * cells.columns + column
        let cell = cells.cells[index]
        let lead = cell.isRightHalf ? index - 1 : index
        let text = cells.clusters[index] ?? Unicode.Scalar(cell.scalar).map { String($0) } ?? ""
        let shown = terminal.text(row: row, column: column)
        let isDoubtful = CellWidth.isDoubtful(
            cells.cells[lead].scalar, isCluster: cells.clusters[lead] != nil)
        switch (isDoubtful, doubtful) {
        case (false, _), (true, .wide): #expect(shown == (cell.isRightHalf ? "" : text))
        case (true, .narrow): #expect(shown == (cell.isRightHalf ? " " : text))
        case (true, .veryWide): break
        }
    }

    @Test func everyStyleLooksItsOwnWay() {
        for colours in TerminalLook.Colours.allCases {
            let look = TerminalLook(colours: colours)
            let hot = String(decoding: look.bytes(of: .hot), as: UTF8.self)
            #expect(
                hot
                    == [
                        .none: "\u{1B}[0;1m", .sixteen: "\u{1B}[0;1;31m",
                        .many: "\u{1B}[0;1;38;5;196m", .all: "\u{1B}[0;1;38;2;224;45;45m",
                    ][colours])
            for style in CellStyle.allCases {
                let text = String(decoding: look.bytes(of: style), as: UTF8.self)
                #expect(text.hasPrefix("\u{1B}[0") && text.hasSuffix("m"))
                if colours == .none { #expect(!text.contains("3")) }
            }
        }
    }

    @Test(arguments: [
        (["TERM": "xterm"], TerminalLook.Colours.sixteen, false, true),
        (["TERM": "xterm-256color"], .many, false, true),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .all, false, true),
        (["TERM": "tmux-direct", "LANG": "C.UTF-8"], .all, false, false),
        (["TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none, false, true),
        (["TERM": "xterm", "NO_COLOR": ""], .sixteen, false, true),
        (["TERM": "vt100"], .none, false, true), (["TERM": "vt220-w"], .none, false, true),
        (["TERM": "dumb"], .none, true, true), ([:], .none, true, true),
        (["TERM": "xterm", "LANG": "C"], .sixteen, false, true),
        (["TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C"], .sixteen, false, true),
        (["TERM": "xterm", "LANG": "C", "LC_CTYPE": "C.UTF-8"], .sixteen, false, false),
        // A locale of the user's own machine, which this one need not have.
        (["TERM": "xterm", "LANG": "xx_YY.UTF-8"], .sixteen, false, false),
        (["TERM": "xterm", "LANG": "xx_YY.utf8@euro"], .sixteen, false, false),
        (["TERM": "xterm", "LANG": "xx_YY.ISO-8859-1"], .sixteen, false, true),
        (["TERM": "xterm", "LANG": "xx_YY"], .sixteen, false, true),
    ])
    func theEnvironmentSaysHowTheTerminalLooks(
        environment: [String: String], colours: TerminalLook.Colours, isDumb: Bool, isASCII: Bool
    ) {
        let look = TerminalLook { environment[$0] }
        #expect(look.colours == colours && look.isDumb == isDumb && look.isASCII == isASCII)
    }
}
