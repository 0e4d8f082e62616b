import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia
@testable import DuetApp

/// The picture of a karaoke song on the screen: where it stands, when it is drawn and taken away, and what
/// the terminal is asked.
@Suite struct PictureScreenTests {
    private static let first = Picture(
        width: 4, height: 2, pixels: [0, 1, 0, 1, 1, 1, 0, 0],
        palette: [.init(red: 0, green: 0, blue: 0), .init(red: 255, green: 255, blue: 0)])
    private static let second = Picture(
        width: 4, height: 2, pixels: [1, 1, 1, 1, 1, 1, 0, 0], palette: first.palette)
    private static let gone = "\u{1B}\\\u{1B}_Ga=d,d=I,i=31,q=2\u{1B}\\"
    private static let question =
        "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}]11;?\u{1B}\\\u{1B}[2;1H"
        + "\u{1B}]66;s=2; \u{1B}\\\u{1B}[6n\u{1B}[3;1H\u{1B}#6\u{1B}[999C\u{1B}[6n\u{1B}#5\u{1B}[c"

    /// tmux takes Kitty's question for a title; screen and Linux's console may print what they do not know.
    @Test func whatStandsBetweenIsAskedForLess() {
        #expect(text(TerminalAnswer.question(on: .simple)) == "\u{1B}[c")
        #expect(text(TerminalAnswer.question(on: .tmux)) == "\u{1B}]11;?\u{1B}\\\u{1B}[c")
        #expect(text(TerminalAnswer.question(on: .terminal)) == Self.question)
    }

    private func layout(
        _ columns: Int, _ rows: Int, _ change: (inout ScreenState) -> Void = { _ in }
    ) -> ScreenLayout {
        var state = ScreenLayoutTests.state
        state.picture = Self.first
        state.changes = []
        change(&state)
        return ScreenLayout(
            state, columns: columns, rows: rows, look: TerminalLook(colours: .sixteen))
    }

    // MARK: Where it stands

    /// In place of words and levels; where the words have a view of their own, the mixer has no picture.
    @Test func itTakesTheRowsThatThereAre() {
        let narrow = layout(58, 24)
        for row in 4..<20 { #expect(narrow.cells.text(row: row).contains("▀▀▀▀"), "\(row)") }
        #expect(
            !narrow.cells.text(row: 1).contains("▀") && !narrow.cells.text(row: 22).contains("▀"))
        #expect(narrow.cells.text(row: 22) == " mic volume 0.0 dB" && narrow.cells.image == nil)
        #expect(narrow.targets.allSatisfy { if case .bar = $0.kind { true } else { false } })
        let words = layout(80, 24) { $0.view = .words }
        for row in 2..<20 { #expect(words.cells.text(row: row).contains("▀▀▀▀"), "\(row)") }
        let mixer = layout(120, 60)
        let lines = (0..<60).map { mixer.cells.text(row: $0) }
        #expect(
            !lines.contains { $0.contains("▀▀") } && lines.contains { $0.contains("▸mic CLIP") })
        #expect(mixer.targets.contains { $0.kind == .strip("mic") })
        let least = layout(40, 10)
        #expect((2..<8).allSatisfy { least.cells.text(row: $0).contains("▀") })
        let page = layout(80, 24) { $0.page = .help }
        #expect(!(0..<24).contains { page.cells.text(row: $0).contains("▀") })
    }

    /// The terminal draws it over blank cells, never over the last row.
    @Test func theTerminalDrawsItByItself() throws {
        for graphics: TerminalGraphics in [
            .kitty(aspect: 2), .sixel(cell: PixelSize(width: 8, height: 16)),
        ] {
            let cells = layout(58, 24) { $0.graphics = graphics }.cells
            let image = try #require(cells.image)
            #expect(image.picture == Self.first && image.graphics == graphics)
            #expect(image.rows.count <= 20 && image.rows.upperBound <= 22)
            #expect(image.rows.allSatisfy { cells.text(row: $0).isEmpty })
        }
    }

    // MARK: When it is drawn

    private func cells(_ image: Picture?, rows: Range<Int> = 0..<2) -> Cells {
        var cells = Cells(columns: 10, rows: 3, look: TerminalLook(colours: .none))
        cells.put("text", row: 2, column: 0)
        cells.image = image.map {
            CellImage(picture: $0, graphics: .kitty(aspect: 2), rows: rows, columns: 1..<5)
        }
        return cells
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func itIsSentWhereItChangesAndTakenAway() {
        var area = ScreenArea(descriptor: -1)
        let begin = text(area.draw(.shows(cells(Self.first))))
        #expect(begin.contains("text\u{1B}[1;2H\u{1B}_Ga=T,") && !begin.contains(Self.gone))
        // The same picture is not sent again, and another in its place without a blank between.
        #expect(area.draw(.shows(cells(Self.first))).isEmpty)
        let next = text(area.draw(.shows(cells(Self.second))))
        #expect(next.hasPrefix("\u{1B}[1;2H\u{1B}_Ga=T,") && !next.contains("\u{1B}[2J"))
        // Elsewhere, and on a page without it.
        for other in [cells(Self.second, rows: 1..<2), cells(nil)] {
            let moved = text(area.draw(.shows(other)))
            #expect(moved.hasPrefix(Self.gone) && moved.contains("\u{1B}[2J"))
            #expect(moved.contains("a=T,") == (other.image != nil))
        }
        #expect(area.draw(.shows(cells(nil))).isEmpty)
        // After another program has drawn, and at the end.
        _ = area.draw(.shows(cells(Self.first)))
        let anew = text(area.draw(.showsAnew(cells(Self.first))))
        #expect(anew.hasPrefix(Self.gone) && anew.contains("a=T,"))
        #expect(text(area.draw(.left)).hasPrefix(Self.gone + "\u{1B}[?1006l"))
        #expect(area.draw(.left).isEmpty)
    }

    @Test func theTerminalIsAskedOnce() {
        var area = ScreenArea(descriptor: -1)
        var asking = cells(nil)
        #expect(!text(area.draw(.shows(asking))).contains(Self.question))
        asking.asks = true
        // What it writes is drawn over.
        let asked = text(area.draw(.shows(asking)))
        #expect(asked.contains(Self.question + "\u{1B}[m\u{1B}[2J"))
        #expect(area.draw(.shows(asking)).isEmpty)
        #expect(!text(area.draw(.showsAnew(asking))).contains(Self.question))
    }

    // MARK: What the terminal answers

    private static let answers: [(String, [TerminalAnswer])] = [
        ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", [.kitty, .attributes(hasSixel: false)]),
        ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\\u{1B}[?62;4;22c", [.attributes(hasSixel: true)]),
        ("\u{1B}_Gi=32;OK\u{1B}\\\u{1B}[?4c", [.attributes(hasSixel: false)]),
        ("\u{1B}[?64;1;2;6;9;15;16;17;18;21;22;28;29;4c", [.attributes(hasSixel: true)]),
        ("\u{1B}[?64;14;40;41c", [.attributes(hasSixel: false)]),
        ("\u{9F}Gi=31;OK\u{9C}\u{9B}?1;4c", [.kitty, .attributes(hasSixel: true)]),
        (
            "\u{1B}]11;rgb:ffff/8080/0000\u{1B}\\\u{1B}[2;3R\u{1B}[3;40R\u{1B}[?62;c",
            [
                .background(.init(red: 255, green: 128, blue: 0)), .cursor(row: 2, column: 3),
                .cursor(row: 3, column: 40), .attributes(hasSixel: false),
            ]
        ),
        ("\u{1B}]11;rgb:f/8/0\u{7}", [.background(.init(red: 255, green: 136, blue: 0))]),
        ("\u{1B}]11;rgb:ff/ff\u{7}\u{1B}]11;rgb:fffff/0/0\u{7}\u{1B}]11;rgb:-1/0/0\u{7}", []),
        ("\u{1B}[1;5R\u{1B}[2;99999R\u{1B}[2R\u{1B}[2;3;4R", []),
        ("\u{1B}]1;_Gi=31;OK\u{1B}\\\u{1B}[>41;4;0c\u{1B}[c", []),
        ("\u{1B}_Gi=31" + String(repeating: "x", count: 100) + ";OK\u{1B}\\", []),
    ]

    /// Whole, cut anywhere, and in single bytes; no part of it is a key.
    @Test(arguments: answers) func answersAreRead(text: String, expected: [TerminalAnswer]) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            var keys = decoder.decode(bytes[..<cut], at: 0)
            keys += decoder.decode(bytes[cut...], at: 0.02)
            #expect(decoder.takeAnswers() == expected && decoder.takeAnswers() == [])
            #expect(keys == [], "cut at \(cut)")
        }
        var decoder = KeyDecoder()
        for byte in bytes { _ = decoder.decode([byte], at: 0) }
        #expect(decoder.takeAnswers() == expected)
    }

    /// A terminal that answers without end fills no memory.
    @Test func answersAreBounded() {
        var decoder = KeyDecoder()
        for _ in 0..<1000 { _ = decoder.decode(Array("\u{1B}[?1;4c".utf8), at: 0) }
        #expect(decoder.takeAnswers().count == 8)
    }

    // MARK: The reporter

    @Test func theReporterAsksAndTakesTheAnswer() throws {
        let pair = PseudoTerminal()
        let terminal = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        let output = Output(descriptor: terminal)
        let reporter = ScreenReporter(
            keys: KeyTable(of: MixPlan()), look: TerminalLook(colours: .sixteen), output: output)
        /// Everything that was written up to the first `end`.
        func text(upTo end: String) -> String {
            var text = ""
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while !text.contains(end) {
                var entry = pollfd(fd: pair.master, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&entry, 1, 10_000) == 1 else { break }
                let count = read(pair.master, &bytes, bytes.count)
                guard count > 0 else { break }
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
            return text
        }
        defer {
            reporter.finish()
            output.write("closed\n")
            let end = text(upTo: "closed")
            #expect(end.contains(Self.gone) && end.contains("\u{1B}[?1049l"))
            close(terminal)
            close(pair.master)
        }
        var state = ScreenState()
        state.title = "without"
        try reporter.show(state)
        #expect(!text(upTo: "without").contains("\u{1B}_G"))
        // In cells, until there is an answer.
        state.picture = Self.first
        try reporter.show(state)
        #expect(text(upTo: "▀▀▀").contains(Self.question))
        reporter.take(.kitty)
        reporter.take(.attributes(hasSixel: true))
        try reporter.show(state)
        #expect(text(upTo: "a=T,").contains("\u{1B}[2J") == false)
        // The page takes it away, and its end brings it back.
        try reporter.turn(to: .details)
        try reporter.show(state)
        #expect(text(upTo: "\u{1B}[2J").contains(Self.gone))
        try reporter.turn(to: .details)
        try reporter.show(state)
        #expect(text(upTo: "a=T,").contains("a=T,"))
    }

    // MARK: Time

    /// Changes ten times a second at most, when the ear is there; stands still while the song does.
    @Test func thePictureIsThatOfTheEar() throws {
        var file = KaraokeFile()
        for colour in 0..<250 {
            file.clear(UInt8(colour % 7 + 1))
            file.wait(2)
        }
        var song = SongGraphics()
        let found = try #require(CDGraphics(file.bytes))
        #expect(!song.isThere && song.picture == nil)
        song.take(.graphics(found))
        #expect(song.picture?.pixels.allSatisfy { $0 == 0 } == true)
        var (changes, last) = (0, song.picture)
        for step in 0..<400 {
            let now = Double(step) / 200
            song.look(
                .init(place: now, speed: 1, step: 0.01, jump: nil), at: now, delay: 0.5,
                offset: 0.25)
            if song.picture != last { (changes, last) = (changes + 1, song.picture) }
            if now < 0.74 { #expect(changes == 0, "\(now)") }
        }
        #expect((8...13).contains(changes))
        let still = song.picture
        for step in 0..<100 {
            song.look(
                .init(place: 1.995, speed: 0, step: 0, jump: nil), at: 3 + Double(step) / 100,
                delay: 0.5, offset: 0.25)
        }
        var expected = found
        while !expected.advance(to: 1.745) {}
        #expect(song.picture == Picture(expected) && still != nil)
        song.take(.ended(frames: 1))
        #expect(song.isThere)
    }
}
