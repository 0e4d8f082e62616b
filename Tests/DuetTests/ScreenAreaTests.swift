import Testing

@testable import DuetApp

/// The screen that a program has for itself, as the bytes that a terminal gets.
@Suite struct ScreenAreaTests {
    private var area = ScreenArea(descriptor: -1)
    private let first: Cells
    private let second: Cells

    init() {
        var cells = Cells(columns: 10, rows: 2, look: TerminalLook(colours: .none))
        cells.put("one", row: 0, column: 0)
        first = cells
        cells.put("two", row: 1, column: 3)
        second = cells
    }

    private static let taken = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h"
    // Below the picture, where the terminal has no second screen.
    private static let given =
        "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[m\u{1B}[?25h\u{1B}[999;1H\r\n\u{1B}[?1049l"

    private mutating func draw(_ change: ScreenArea.Change) -> String {
        String(decoding: area.draw(change), as: UTF8.self)
    }

    @Test mutating func itIsTakenDrawnAndGivenBack() {
        #expect(draw(.left).isEmpty && !area.stands)
        #expect(draw(.shows(first)) == Self.taken + "\u{1B}[m\u{1B}[2J\u{1B}[1;1Hone")
        #expect(area.stands)
        #expect(draw(.shows(second)) == "\u{1B}[2;4Htwo")
        #expect(draw(.shows(second)).isEmpty)
        // It may have been given back by a signal's handler meanwhile.
        #expect(
            draw(.showsAnew(second))
                == Self.taken + "\u{1B}[m\u{1B}[2J\u{1B}[1;1Hone\u{1B}[2;4Htwo")
        #expect(draw(.left) == Self.given && !area.stands)
        #expect(draw(.shows(first)).hasPrefix(Self.taken))
    }

    /// Of changes that wait the newest counts, and that all is to be drawn is not forgotten.
    @Test mutating func theNewestCounts() {
        _ = draw(.shows(first))
        #expect(draw(.shows(second).following(.shows(first))) == "\u{1B}[2;4Htwo")
        #expect(draw(.shows(second).following(.showsAnew(first))).hasPrefix(Self.taken))
        #expect(draw(.shows(second).following(.left)).isEmpty)
        #expect(draw(.left.following(.shows(first))) == Self.given)
        #expect(draw(.shows(first).following(nil)).hasPrefix(Self.taken))
    }
}
