import Foundation
import TestSupport
import Testing

@testable import AudioMedia
@testable import DuetApp

/// What is written where nothing is redrawn.
@Suite struct PlainReporterTests {
    private let pair = PseudoTerminal()
    private let terminal: Int32
    private let output: Output
    private let reporter: PlainReporter

    init() {
        terminal = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        output = Output(descriptor: terminal)
        reporter = PlainReporter(
            keys: ["keys"], redraws: false, look: TerminalLook(colours: .sixteen), output: output)
    }

    /// Everything that was written, when all is; closes the terminal.
    private func end() -> [String] {
        reporter.finish()
        output.write("closed\n")
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while !text.contains("closed\r\n") {
            var entry = pollfd(fd: pair.master, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&entry, 1, 10_000) == 1 else { break }
            let count = read(pair.master, &bytes, bytes.count)
            guard count > 0 else { break }
            text += String(decoding: bytes[..<count], as: UTF8.self)
        }
        close(terminal)
        close(pair.master)
        return text.components(separatedBy: "\r\n").dropLast(2)
    }

    @Test func eachChangeIsALineOnce() throws {
        var status = Status()
        (status.state, status.duration) = (.playing, 60)
        try reporter.report(.playing(bus: 0, at: SongPosition(seconds: 0, duration: 60)))
        for second in 0..<30 {
            status.position = Double(second)
            status.lyrics = "a line that the status shows"
            status.note = "a note that the status shows"
            try reporter.show(status)
            reporter.redraw()
        }
        reporter.note("song key +1")
        reporter.note("song key +1")
        try reporter.report(.paused(bus: 1, at: SongPosition(seconds: 61, duration: nil)))
        try reporter.turn(to: .help)
        let long = String(repeating: "as long as two rows ", count: 8)
        try reporter.report(.notice(message: long))
        #expect(reporter.changeView() == "large words need the screen")
        (status.state, status.xruns) = (.stopping, 2)
        for _ in 0..<2 { try reporter.show(status) }
        status.state = .stopped
        try reporter.show(status)
        #expect(
            end() == [
                "playing 0:00/1:00", "song key +1", "song key +1", "second song: paused 1:01",
                "keys", long, "stopping 0:29/1:00  xruns 2", "stopped 0:29/1:00  xruns 2",
            ])
    }

    /// What holds is told when it begins to hold, not after each note on a key; a retry is told by its event.
    @Test func aStandingNoteIsToldOnce() throws {
        var status = Status()
        status.state = .paused
        let notes = [
            "next: B, press space", "next: B, press space", nil, "next: B, press space",
            "lost; retrying in 2 s", "lost; retrying in 1 s", "lost; retrying now",
        ]
        for note in notes {
            status.standingNote = note
            status.note = note
            try reporter.show(status)
            reporter.note("mic muted")
            status.note = "mic muted"
            try reporter.show(status)
        }
        #expect(
            end().filter { $0 != "mic muted" } == [
                "next: B, press space", "next: B, press space",
            ])
    }

    /// A line when a tenth more is done, and 10 s more have passed.
    @Test(arguments: [(200, true, 11), (30, true, 4), (30, false, 4)])
    func aRenderTellsHowFarItIs(seconds: Int, isLengthKnown: Bool, count: Int) throws {
        var status = Status()
        status.state = .rendering
        status.duration = isLengthKnown ? Double(seconds) : nil
        for second in 0...seconds {
            status.elapsed = Double(second)
            status.position = Double(second)
            try reporter.show(status)
        }
        let lines = end()
        #expect(lines.count == count, "\(lines)")
        #expect(lines.allSatisfy { $0.hasPrefix("rendering ") && !$0.contains("[") })
    }

    /// The status line that is redrawn shows notes itself.
    @Test func elsewhereTheStatusShowsThem() throws {
        let redrawing = PlainReporter(look: TerminalLook(colours: .sixteen), output: output)
        redrawing.note("a note")
        redrawing.showTyped(TypedLine(text: "a"))
        try redrawing.report(.paused(bus: 0, at: SongPosition()))
        #expect(end() == [])
    }

    @Test func aLineThatComesWhileUsersTypeHasItsOwn() throws {
        reporter.showTyped(TypedLine())
        reporter.showTyped(TypedLine(text: "a"))
        try reporter.say("a warning")
        reporter.showTyped(TypedLine(text: "ab"))
        reporter.showTyped(nil)
        reporter.note("added: ab")
        #expect(end() == ["add a song: a", "a warning", "ab", "added: ab"])
    }
}

/// What is written of a line that users type into.
@Suite struct TypedEchoTests {
    private var echo = TypedEcho()

    @Test mutating func whatIsAddedIsWrittenAsItComes() {
        #expect(echo.take(TypedLine()) == "add a song: ")
        #expect(echo.take(TypedLine(text: "e")) == "e")
        // An accent that comes by itself changes the character before it.
        #expect(echo.take(TypedLine(text: "e\u{301}x")) == "\u{301}x")
        #expect(echo.take(TypedLine(text: "e\u{301}x")) == "")
        #expect(echo.take(nil) == "\n" && echo.take(nil) == "")
        #expect(echo.take(TypedLine(text: "again")) == "add a song: again")
    }

    @Test mutating func whatRemainsIsWrittenAnew() {
        _ = echo.take(TypedLine(text: "ab"))
        #expect(echo.take(TypedLine(text: "a")) == "\na")
        #expect(echo.take(TypedLine()) == "\nadd a song: ")
        #expect(echo.take(TypedLine()) == "")
    }

    @Test mutating func aReasonStandsAboveTheLine() {
        #expect(
            echo.take(TypedLine(text: "a", note: "no such file")) == "no such file\nadd a song: a")
        #expect(echo.take(TypedLine(text: "ab", note: "2 names")) == "\n2 names\nab")
        #expect(echo.take(TypedLine(text: "abc")) == "c")
    }
}
