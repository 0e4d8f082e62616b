import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// What a reporter with a screen writes to a terminal.
@Suite struct ScreenReporterTests {
    private let pair = PseudoTerminal()
    private let terminal: Int32
    private let output: Output
    private let reporter: ScreenReporter

    init() {
        terminal = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        output = Output(descriptor: terminal)
        reporter = ScreenReporter(
            keys: KeyTable(of: MixPlan()), look: TerminalLook(colours: .sixteen), output: output)
    }

    /// Everything that was written up to the first `end`.
    private func text(upTo end: String) -> String {
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

    private func picture(_ text: String) -> TerminalPicture {
        var picture = TerminalPicture(columns: 100, rows: 30)
        picture.feed(text)
        return picture
    }

    /// Closes the terminal when all is written: a writing thread that began later would open what
    /// another test has under the same number by then.
    private func end() {
        reporter.finish()
        output.write("closed\n")
        _ = text(upTo: "closed")
        close(terminal)
        close(pair.master)
    }

    /// The keys of a page that is open act only while it can be seen.
    @Test func aPageIsNotOpenWithoutItsScreen() throws {
        defer { end() }
        func resize(rows: Int) {
            var size = winsize(ws_row: UInt16(rows), ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        }
        try reporter.turn(to: .help)
        #expect(reporter.page == nil)
        try reporter.show(ScreenState())
        try reporter.turn(to: .list)
        #expect(reporter.page == .list)
        resize(rows: 9)
        try reporter.show(ScreenState())
        #expect(reporter.page == nil)
        try reporter.turn(to: nil)
        resize(rows: 30)
        try reporter.show(ScreenState())
        #expect(reporter.page == .list)
        try reporter.turn(to: nil)
        #expect(reporter.page == nil)
    }

    @Test func whatIsReportedStaysOnTheScreenAndWarningsBelowIt() throws {
        defer { end() }
        try reporter.report(.notice(message: "before"))
        try reporter.warn("an early fault")
        try reporter.show(ScreenState())
        try reporter.report(.notice(message: "a notice"))
        try reporter.warn("a fault")
        output.write("from elsewhere\n")
        try reporter.report(.notice(message: "the newest"))
        try reporter.show(ScreenState())
        let shown = text(upTo: "a fault")
        reporter.finish()
        output.write("end\n")
        let text = shown + text(upTo: "end\r\n")
        // A warning stands by itself, and what comes soon after it is on the page of details.
        let screen = picture(shown)
        #expect(screen.isAlternate && screen.lines.contains(" warning: a fault"))
        #expect(
            !screen.lines.contains {
                ["before", "newest", "elsewhere"].contains(where: $0.contains)
            })
        let after = picture(text)
        #expect(after.modes == [25])
        let lines = after.lines.filter { !$0.isEmpty }
        try #require(lines.count == 5)
        #expect(
            lines[0...2] == ["warning: an early fault", "from elsewhere", "warning: a fault"])
        #expect(lines[3].hasPrefix("opening 0:00") && lines[4] == "end")
    }

    /// A list that was left is told of before the screen stands; the next lines do not take its place.
    @Test func whatComesBeforeTheScreenWaitsForIt() throws {
        defer { end() }
        try reporter.report(.notice(message: "your last list"))
        try reporter.report(.connected(from: "out", to: "there", isOurs: true))
        try reporter.show(ScreenState())
        #expect(picture(text(upTo: "last list")).lines.contains(" your last list"))
    }

    /// The warning about realtime scheduling, which holds for every song, does not hide what is about
    /// this one.
    @Test func aWarningAboutTheSongComesFirst() throws {
        defer { end() }
        try reporter.show(ScreenState())
        try reporter.warn("no realtime scheduling", about: .realtime)
        try reporter.show(ScreenState())
        #expect(text(upTo: "no realtime").contains("warning: no realtime"))
        try reporter.warn("this song is mono")
        try reporter.show(ScreenState())
        #expect(text(upTo: "mono").contains("this song is mono"))
        reporter.finish()
    }

    @Test func nothingIsWrittenWhereNothingChanged() throws {
        defer { end() }
        var state = ScreenState()
        state.status.state = .paused
        func count(_ text: String) -> Int { text.components(separatedBy: "xruns 0").count - 1 }
        try reporter.show(state)
        #expect(reporter.showInterval == 0.2)
        #expect(count(text(upTo: "xruns 0")) == 1)
        for _ in 0..<100 { try reporter.show(state) }
        reporter.redraw()
        #expect(count(text(upTo: "xruns 0")) == 1)
        for _ in 0..<100 { try reporter.show(state) }
        reporter.finish()
        output.write("end\n")
        // The status, when the screen was left.
        #expect(count(text(upTo: "end\r\n")) == 1)
        state.status.state = .playing
        try reporter.show(state)
        #expect(reporter.showInterval == 1.0 / 30)
        reporter.finish()
    }

    @Test func thePageOfDetailsHasTheLog() throws {
        defer { end() }
        try reporter.show(ScreenState())
        for number in 1...600 { try reporter.report(.notice(message: "line \(number)")) }
        try reporter.turn(to: .details)
        try reporter.show(ScreenState())
        let screen = picture(text(upTo: "line 600"))
        reporter.finish()
        #expect(screen.text(row: 27) == " line 600" && screen.text(row: 2) == " line 575")
    }

    /// A command of a user that points at the screen, and keys that turn pages.
    @Test func thePointerFindsWhatIsShown() throws {
        defer { end() }
        var state = ScreenLayoutTests.state
        #expect(reporter.target(row: 1, column: 50) == nil)
        try reporter.show(state)
        // The words are shown large; the mixer has the channels.
        #expect(reporter.target(row: 10, column: 2) == nil)
        #expect(reporter.changeView() == nil)
        try reporter.show(state)
        let bar = try #require(reporter.target(row: 1, column: 50))
        #expect(bar.kind == .bar(duration: 245))
        #expect(reporter.target(row: 10, column: 2)?.kind == .strip("song"))
        #expect(reporter.target(row: 29, column: 2) == nil)
        try reporter.turn(to: .help)
        try reporter.show(state)
        #expect(reporter.target(row: 10, column: 2) == nil && reporter.page == .help)
        try reporter.turn(to: nil)
        state.status.duration = nil
        try reporter.show(state)
        #expect(reporter.target(row: 1, column: 50) == nil && reporter.page == nil)
        reporter.finish()
        #expect(reporter.target(row: 10, column: 2) == nil)
    }
}
