import AudioMedia
import TestSupport
import Testing

@testable import DuetApp

/// What draws large letters, by what the terminal has told of itself.
@Suite struct LargeLettersTests {
    private static let text = "Long is the road and the night is cold"

    private func layout(
        _ columns: Int, _ rows: Int, _ letters: LetterWays,
        look: TerminalLook = TerminalLook(colours: .all),
        _ change: (inout ScreenState) -> Void = { _ in }
    ) -> Cells {
        var state = ScreenState()
        (state.view, state.letters) = (.words, letters)
        state.strips = [ScreenState.Strip(name: "song", volume: "0.0 dB")]
        state.lyrics = ScreenState.Lyrics(
            lines: [Self.text, "世界の歌を歌う", "a second line"].map { .init(text: $0) },
            present: 0, sung: 0.5)
        change(&state)
        return ScreenLayout(state, columns: columns, rows: rows, look: look).cells
    }

    // MARK: Scaled by the terminal

    /// A line is as large as two rows of it have room, of any script.
    @Test(arguments: [
        (80, 24, 0, 3), (80, 24, 1, 5), (60, 16, 0, 2), (120, 40, 0, 5), (120, 40, 2, 7),
        (200, 50, 0, 7),
    ])
    func theTerminalScalesWords(columns: Int, rows: Int, line: Int, scale: Int) {
        let cells = layout(columns, rows, LetterWays(way: .scaled)) { $0.lyrics?.present = line }
        let first = cells.scales.min { $0.key < $1.key }
        #expect(first?.value == scale)
        let words = [Self.text, "世界の歌を歌う", "a second line"][line]
        let shown = cells.scales.keys.sorted().map { cells.character(at: $0) }
        #expect(String(shown).filter { $0 != " " }.hasPrefix(words.filter { $0 != " " }))
        // Half of it is sung.
        if line == 0 {
            let sung = cells.scales.keys.filter { cells.cells[$0].style == .sung }
            #expect(sung.count == words.count / 2)
        }
        for (place, scale) in cells.scales {
            let width = CellWidth.of(cells.character(at: place)) * scale
            #expect(place % columns + width <= columns && place / columns + scale <= rows - 4)
        }
    }

    /// What changed is sent alone, as OSC 66; what stood there before is drawn over.
    @Test func scaledTextIsSent() {
        let ways = LetterWays(way: .scaled)
        let old = layout(80, 24, ways)
        let begin = String(decoding: CellDiff(from: nil, to: old).bytes, as: UTF8.self)
        #expect(begin.contains("\u{1B}]66;s=3;L\u{1B}\\\u{1B}]66;s=3;o\u{1B}\\"))
        #expect(CellDiff(from: old, to: old).bytes.isEmpty)
        let new = layout(80, 24, ways) { $0.lyrics?.sung = 0.53 }
        let step = String(decoding: CellDiff(from: old, to: new).bytes, as: UTF8.self)
        #expect(step.components(of: "\u{1B}]66;") == 1 && !step.contains("\u{1B}[2J"), "\(step)")
        // The letters of another line end where they began.
        let next = layout(80, 24, ways) { $0.lyrics?.present = 2 }
        let change = String(decoding: CellDiff(from: old, to: next).bytes, as: UTF8.self)
        #expect(change.contains("]66;s=5;a\u{1B}"))
        let mixer = layout(80, 24, ways) { $0.view = .mixer }
        #expect(mixer.scales.isEmpty)
        let gone = CellDiff(from: old, to: mixer).bytes
        #expect(!String(decoding: gone, as: UTF8.self).contains("]66;"))
    }

    /// Whatever stood there before, a terminal as Kitty shows just what is to be seen: a character of which a cell
    /// is written on is gone whole.
    @Test func nothingStaysOfScaledText() {
        var random = SeededRandom(seed: 66)
        let letters = Array("aWé世🎤 ")
        func picture() -> Cells {
            var cells = Cells(columns: 24, rows: 9, look: TerminalLook(colours: .all))
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let (row, column) = (
                    Int.random(in: 0..<9, using: &random), Int.random(in: 0..<24, using: &random)
                )
                if Bool.random(using: &random) {
                    cells.put(
                        letters.randomElement(using: &random)!,
                        scale: Int.random(in: 2...4, using: &random), row: row, column: column,
                        style: .sung)
                } else if Int.random(in: 0..<6, using: &random) == 0 {
                    cells.clear(row: row)
                } else {
                    cells.put("ab世", row: row, column: column)
                }
            }
            return cells
        }
        var old = picture()
        var terminal = ScalingTerminal(columns: 24, rows: 9)
        terminal.obey(CellDiff(from: nil, to: old).bytes)
        for _ in 0..<3000 {
            let new = picture()
            terminal.obey(CellDiff(from: old, to: new).bytes)
            var fresh = ScalingTerminal(columns: 24, rows: 9)
            fresh.obey(CellDiff(from: nil, to: new).bytes)
            #expect(terminal.places == fresh.places)
            if terminal.places != fresh.places { return }
            old = new
        }
    }

    // MARK: Lines of double height

    /// Where a line has no room in letters, the terminal's own are twice as large; not those of other scripts,
    /// which crash an xterm.
    @Test func linesOfDoubleHeight() {
        let ways = LetterWays(hasDoubleLines: true)
        let long = "A line of so many words that two rows of letters do not hold it"
        let cells = layout(80, 24, ways) { $0.lyrics?.lines[0].text = long }
        let row = cells.doubleRows.min() ?? 0
        #expect(cells.doubleRows.count == 2 && cells.text(row: row).contains("A line of so many"))
        #expect(cells.text(row: row) == cells.text(row: row + 1))
        let longer = layout(80, 24, ways) { $0.lyrics?.lines[0].text = "\(long), \(long)" }
        #expect(longer.doubleRows.count == 4)
        let without = layout(80, 24, LetterWays()) { $0.lyrics?.lines[0].text = long }
        #expect(without.doubleRows.isEmpty)
        for text in [
            "世界の歌を歌う", "שלום עולם", "a line with ♥ of \(long)", "Привет \(long)", "สวัสดีโลก",
            "नमस्ते दुनिया", "🎤 a",
        ] {
            let other = layout(80, 24, ways) { $0.lyrics?.lines = [.init(text: text)] }
            #expect(other.doubleRows.isEmpty, "\(text)")
        }
        let bytes = String(decoding: CellDiff(from: nil, to: cells).bytes, as: UTF8.self)
        #expect(bytes.contains("\u{1B}[\(row + 1);1H\u{1B}#3") && bytes.contains("\u{1B}#4"))
        // A row that has one size again is drawn whole.
        let other = layout(80, 24, ways) { $0.view = .mixer }
        let back = String(decoding: CellDiff(from: cells, to: other).bytes, as: UTF8.self)
        #expect(back.contains("\u{1B}[\(row + 1);1H\u{1B}#5\u{1B}[2K"))
        #expect(CellDiff(from: cells, to: cells).bytes.isEmpty)
        // The name of a singer has a row of its own.
        let named = layout(80, 24, ways) {
            $0.lyrics?.lines = [
                .init(text: long, singer: .first), .init(text: "x", singer: .second),
            ]
        }
        let rows = (0..<24).filter { named.text(row: $0).hasPrefix(" 1") }
        let halves = named.doubleRows.flatMap { [$0, $0 + 1] }
        #expect(rows.count == 1 && halves.count >= 4 && !halves.contains(rows[0]))
    }

    @Test func sizesByWay() {
        #expect(
            LetterWays(way: .scaled).sizes(height: 5)
                == [.scaled(5), .scaled(4), .scaled(3), .scaled(2), .cells])
        #expect(LetterWays().sizes(height: 5) == [.quadrants(scale: 1), .cells])
        #expect(
            LetterWays(way: .octants, hasDoubleLines: true).sizes(height: 10) == [
                .quadrants(scale: 2), .quadrants(scale: 1), .octants, .double, .cells,
            ])
        // Small is what the user asks for, whatever the terminal has.
        var xterm = TerminalFacts()
        xterm.take(.cursor(row: 3, column: 40), columns: 80)
        #expect(LetterWays(on: xterm, choice: .cells).sizes(height: 10) == [.cells])
        #expect(LetterWays(on: xterm, choice: nil).sizes(height: 2) == [.double, .cells])
        // A terminal that shows ASCII alone has no font, and maybe lines of double height.
        let ascii = TerminalLook(colours: .none, isASCII: true)
        let cells = layout(80, 24, LetterWays(hasDoubleLines: true), look: ascii)
        let isPlain = (0..<24).allSatisfy { cells.text(row: $0).allSatisfy(\.isASCII) }
        #expect(cells.doubleRows.count > 0 && isPlain)
    }

    /// Without colours, what is sung stands on a line.
    @Test func withoutColoursALineTellsWhatIsSung() {
        func lines(_ sung: Double) -> Int {
            let cells = layout(80, 24, LetterWays(), look: TerminalLook(colours: .none)) {
                $0.lyrics?.sung = sung
            }
            return cells.cells.prefix(80 * 18).count { $0.scalar == 0x2581 }
        }
        #expect(lines(0) == 0 && lines(0.5) > 20 && lines(1) > lines(0.5) + 20)
    }

    // MARK: What the terminal tells

    @Test func factsAreTakenOnce() {
        var facts = TerminalFacts()
        for answer: TerminalAnswer in [
            .kitty, .background(.init(red: 1, green: 2, blue: 3)), .cursor(row: 2, column: 3),
            .cursor(row: 3, column: 40), .attributes(hasSixel: false),
        ] {
            #expect(!facts.isComplete)
            facts.take(answer, columns: 80)
        }
        #expect(facts.isComplete && facts.hasKittyGraphics && facts.hasScaledText)
        #expect(facts.hasDoubleLines && facts.background != nil && !facts.hasSixel)
        facts.take(.cursor(row: 2, column: 1), columns: 80)
        #expect(facts.hasScaledText)
        // xterm, VTE and tmux: no text sizes; only the first has real lines of double width.
        for (column, columns, isReal) in [
            (40, 80, true), (40, 79, true), (80, 80, false), (1, 1, false),
        ] {
            var facts = TerminalFacts()
            facts.take(.cursor(row: 2, column: 1), columns: columns)
            facts.take(.cursor(row: 3, column: column), columns: columns)
            #expect(!facts.hasScaledText && facts.hasDoubleLines == isReal)
        }
    }

    /// Whatever is behind them, words have a contrast of 4.5 to 1 with their own colours, or have those of the
    /// terminal; what is sung is lighter on dark and darker on light.
    @Test func wordsAreReadableOnAnyGround() {
        typealias Ground = TerminalLook.Ground
        func colour(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Picture.Colour {
            Picture.Colour(red: red, green: green, blue: blue)
        }
        #expect(Ground(colour(0, 0, 0)) == .dark && Ground(colour(255, 255, 255)) == .light)
        #expect(Ground(colour(0, 43, 54)) == .dark && Ground(colour(253, 246, 227)) == .light)
        #expect(Ground(colour(127, 127, 127)) == .middle)
        let lit: [CellStyle: CellStyle] = [
            .sung: .lit, .sungSecond: .litSecond, .sungBoth: .litBoth, .sungBehind: .litBehind,
        ]
        for grey in 0...255 {
            let ground = Ground(colour(UInt8(grey), UInt8(grey), UInt8(grey)))
            for colours in [TerminalLook.Colours.many, .all] {
                var look = TerminalLook(colours: colours)
                look.ground = ground
                for style in CellStyle.allCases {
                    guard let ink = rgb(look.bytes(of: style)) else { continue }
                    #expect(contrast(ink, grey) >= 4.5, "\(grey) \(style) \(colours)")
                }
                for (style, other) in lit where ground != .middle {
                    #expect(look.bytes(of: style) == look.bytes(of: other))
                    guard let sung = rgb(look.bytes(of: style)),
                        let ahead = rgb(look.bytes(of: .ahead))
                    else { continue }
                    #expect((luminance(sung) > luminance(ahead)) == (ground == .dark))
                }
            }
        }
        // Most grounds have colours: those of a dark or a light theme all of them.
        for grey in [0, 30, 45, 245, 255] {
            var look = TerminalLook(colours: .all)
            look.ground = Ground(colour(UInt8(grey), UInt8(grey), UInt8(grey)))
            #expect(CellStyle.allCases.count { rgb(look.bytes(of: $0)) != nil } >= 14, "\(grey)")
        }
    }

    /// The colour that a style sets: of xterm's 256, or red, green and blue; nil: the terminal's own.
    private func rgb(_ bytes: [UInt8]) -> [Int]? {
        let numbers = String(decoding: bytes, as: UTF8.self).dropFirst(2).dropLast()
            .split(separator: ";").compactMap { Int($0) }
        guard let place = numbers.firstIndex(of: 38) else { return nil }
        guard numbers[place + 1] == 5 else { return Array(numbers[(place + 2)...]) }
        let number = numbers[place + 2] - 16
        if number >= 216 { return [Int](repeating: 8 + 10 * (number - 216), count: 3) }
        return [number / 36, number / 6 % 6, number % 6].map { $0 == 0 ? 0 : 55 + 40 * $0 }
    }

    private func luminance(_ colour: [Int]) -> Double {
        Picture.Colour(
            red: UInt8(colour[0]), green: UInt8(colour[1]), blue: UInt8(colour[2])
        ).luminance
    }

    private func contrast(_ colour: [Int], _ grey: Int) -> Double {
        let pair = [luminance(colour), luminance([grey, grey, grey])].sorted()
        return (pair[1] + 0.05) / (pair[0] + 0.05)
    }
}

extension String {
    /// How often a text stands in it.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}

extension Cells {
    /// The scales of characters that have one, by their places.
    fileprivate var scales: [Int: Int] {
        var scales: [Int: Int] = [:]
        for (index, cell) in cells.enumerated() where cell.scale > 0 {
            scales[index] = Int(cell.scale)
        }
        return scales
    }
}
