import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The screen of the program itself, with a real server and a terminal.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ScreenTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    private func arguments(_ more: [String]) throws -> [String] {
        ["sing", try folder.song("tune.mp3", seconds: 60).path, "-s", server.name, "-n", client]
            + more
    }

    private func start(
        _ more: [String] = [], environment: [String: String?] = [:]
    ) throws -> DuetProgram {
        let duet = try DuetProgram(
            arguments(more), environment: DuetProgram.terminal.merging(environment) { $1 },
            streams: .terminal)
        try duet.waitForSong()
        return duet
    }

    private func quit(_ duet: DuetProgram) throws {
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        duet.expectGivenBack()
    }

    @Test func keysAreSeen() throws {
        let duet = try start()
        let first = try duet.waitForScreen { $0.text(row: 0).contains("xruns") }
        #expect(first.text(row: 0).hasPrefix(" tune.mp3 "))
        #expect(first.text(row: 0).contains("48 kHz · 128 · ear"))
        #expect(first.lines.last?.hasPrefix(" h help  space pause") == true)
        #expect(first.modes.isSuperset(of: [1049, 1000, 1006, 2004]) && !first.modes.contains(25))
        duet.child.type("99")
        try duet.waitForScreen { screen in
            screen.lines.contains { $0.contains("-2.0 dB") }
                && screen.lines.contains(" song volume -2.0 dB")
        }
        duet.child.type("\tc]m")
        try duet.waitForScreen { $0.lines.contains { $0.contains("muted") } }
        duet.child.type(" ")
        try duet.waitForScreen { $0.text(row: 1).contains("‖ paused 0:") }
        duet.child.type("K")
        try duet.waitForScreen { $0.lines.contains { $0.contains("key +1") } }
        // Everything goes back but what was muted, and comes again.
        duet.child.type("z")
        try duet.waitForScreen { screen in
            !screen.lines.contains { $0.contains("key +1") }
                && screen.lines.contains { $0.contains("muted") }
        }
        duet.child.type("z")
        let last = try duet.waitForScreen { screen in
            screen.lines.contains { $0.contains("muted") }
                && screen.lines.contains { $0.contains("-2.0 dB") }
        }
        #expect(last.unknown.isEmpty)
        try quit(duet)
        // The shell's screen has the last state.
        let after = duet.picture()
        #expect(after.lines.contains { $0.contains("stopped 0:") && $0.contains("xruns") })
    }

    /// A sine of −18 dBFS, much louder than full scale.
    @Test func whatIsTooLoudIsMarkedUntilItWasSeen() throws {
        let duet = try start([
            "--song-volume", "4", "--set", "/song/eq/band/5=12", "--mic-preset", "plate",
        ])
        try duet.waitForScreen { screen in
            let text = screen.lines.joined(separator: "\n")
            return text.contains("▸song CLIP") && text.contains(/lim -[1-9]/)
                && text.contains(/mic plate · comp -?[0-9]+\.[0-9] dB/)
        }
        duet.child.type(" ")
        try duet.waitForScreen { $0.text(row: 1).contains("‖ paused") }
        duet.child.type("h")
        try duet.waitForScreen { $0.lines.contains { $0.contains("swap sides") } }
        duet.child.type("\u{1B}")
        let marked = try duet.waitForScreen { $0.lines.contains { $0.contains("▸song") } }
        #expect(marked.lines.contains { $0.contains("▸song CLIP") })
        duet.child.type("\u{1B}")
        try duet.waitForScreen { screen in !screen.lines.contains { $0.contains("CLIP") } }
        try quit(duet)
    }

    @Test func pagesStandInPlaceOfTheLevels() throws {
        let duet = try start()
        duet.child.type("h")
        let help = try duet.waitForScreen { $0.lines.contains { $0.contains("swap sides") } }
        #expect(!help.lines.contains { $0.contains("  -48") })
        duet.child.type("d")
        try duet.waitForScreen { screen in
            screen.lines.contains(" client \(client) on JACK server \(server.name)")
                && screen.lines.contains(" mic ← system:capture_1")
                && screen.lines.contains { $0.contains("connected \(client):out_left to") }
        }
        duet.child.type("L")
        try duet.waitForScreen { $0.lines.contains(" this song has no lyrics") }
        duet.child.type("\u{1B}")
        try duet.waitForScreen { $0.lines.contains { $0.contains("  -48") } }
        try quit(duet)
    }

    @Test func theMouseSeeksAndSelects() throws {
        let duet = try start()
        duet.child.type(" ")
        let screen = try duet.waitForScreen { $0.text(row: 1).contains("‖ paused") }
        let bar = try #require(Array(screen.text(row: 1)).firstIndex { "━╸─".contains($0) })
        let length = screen.text(row: 1).count { "━╸─".contains($0) }
        // The middle of a song of a minute.
        duet.child.type("\u{1B}[<0;\(bar + 1 + length / 2);2M\u{1B}[<0;\(bar + 1 + length / 2);2m")
        try duet.waitForScreen { $0.text(row: 1).contains(/0:(29|30) ━/) }
        let names = try #require(
            screen.lines.firstIndex { $0.contains("mic ") && $0.contains("out") })
        let mic = try #require(Array(screen.lines[names]).firstIndex(of: "m"))
        func press(_ button: Int) -> String { "\u{1B}[<\(button);\(mic + 1);\(names + 2)M" }
        duet.child.type(press(0))
        try duet.waitForScreen { $0.lines[names].contains("▸mic") }
        duet.child.type(press(65) + press(65) + press(64 + 4))
        try duet.waitForScreen { $0.lines.contains(" mic volume -1.0 dB") }
        duet.child.type(press(0) + press(0))
        try duet.waitForScreen { screen in !screen.lines.contains { $0.contains("-1.0 dB") } }
        try quit(duet)
    }

    @Test func anotherSizeIsFollowed() throws {
        let duet = try start()
        duet.child.resizeTerminal(columns: 60, rows: 16)
        let small = try duet.waitForScreen(columns: 60, rows: 16) {
            $0.text(row: 15).hasPrefix(" h help") && $0.text(row: 0).hasPrefix(" tune.mp3")
        }
        #expect(small.text(row: 1).hasSuffix("1:00"))
        // Too small for a screen: the status line.
        duet.child.resizeTerminal(columns: 39, rows: 16)
        try duet.waitForScreen(columns: 39, rows: 16) {
            !$0.isAlternate && $0.lines.contains { $0.hasPrefix("playing 0:") }
        }
        duet.child.resizeTerminal(columns: 100, rows: 30)
        try duet.waitForScreen { $0.isAlternate && $0.text(row: 29).hasPrefix(" h help") }
        // The size may have been another for a moment.
        func drawings() -> Int { duet.child.output.components(separatedBy: "\u{1B}[2J").count }
        let before = drawings()
        duet.child.signal(SIGWINCH)
        #expect(poll { drawings() > before })
        try quit(duet)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT]) func aSignalGivesTheTerminalBack(signal: Int32)
        throws
    {
        let duet = try start()
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit() == .code(0))
        duet.expectGivenBack()
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGQUIT]) func aFaultGivesTheTerminalBack(signal: Int32)
        throws
    {
        let duet = try start()
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit() == .signal(signal))
        duet.expectGivenBack()
    }

    @Test func aSecondInterruptGivesTheTerminalBack() throws {
        let duet = try start()
        // With a stopped server a clean end of the client takes some time.
        server.suspend()
        duet.child.type("\u{3}")
        try duet.waitForScreen { $0.text(row: 1).contains("stopping") || !$0.isAlternate }
        duet.child.type("\u{3}")
        #expect(try duet.child.waitForExit() == .code(130))
        duet.expectGivenBack()
        server.kill()
    }

    /// Why the program ended is not on the screen that is gone with it.
    @Test func anErrorIsWrittenBelow() throws {
        let duet = try start(["--server-wait", "0"])
        server.kill()
        #expect(try duet.child.waitForExit() == .code(69))
        duet.expectGivenBack()
        let lines = duet.picture().lines
        #expect(lines.contains { $0.hasPrefix("duet: ") && $0.contains("server") }, "\(lines)")
    }

    @Test func theShellHasItsScreenWhileDuetIsStopped() throws {
        let duet = try DuetProgram(inShell: arguments([]), environment: DuetProgram.terminal)
        for _ in 0..<2 {
            try duet.waitForScreen { $0.isAlternate && $0.text(row: 1).contains("▶") }
            let before = duet.child.output.matches(of: /Stopped/).count
            duet.child.type("\u{1A}")
            try duet.child.waitForOutput { $0.matches(of: /Stopped/).count > before }
            duet.expectGivenBack()
            duet.child.type("\n")
        }
        try duet.waitForScreen { $0.isAlternate && $0.text(row: 1).contains("▶") }
        try quit(duet)
    }

    /// A terminal that takes nothing holds up nothing, and shows the present when it takes again.
    @Test func aStoppedTerminalCatchesUp() throws {
        let duet = try start()
        duet.child.setTerminalStopped(true)
        for _ in 0..<20 { duet.child.type("9") }
        duet.child.type(" ")
        duet.child.setTerminalStopped(false)
        let screen = try duet.waitForScreen { screen in
            screen.text(row: 1).contains("‖ paused")
                && screen.lines.contains { $0.contains("-20.0 dB") }
        }
        #expect(screen.unknown.isEmpty)
        try quit(duet)
    }

    @Test(arguments: [["TERM": "vt100"], ["NO_COLOR": "1"]])
    func withoutColours(environment: [String: String]) throws {
        let duet = try start(environment: environment)
        try duet.waitForScreen { $0.text(row: 29).hasPrefix(" h help") }
        #expect(!duet.child.output.contains(/\u{1B}\[[0-9;]*3[0-9][0-9;]*m/))
        try quit(duet)
    }

    @Test func withoutUTF8() throws {
        let duet = try start(environment: ["LANG": "C", "LC_ALL": nil, "LC_CTYPE": nil])
        let screen = try duet.waitForScreen { $0.text(row: 29).hasPrefix(" h help") }
        #expect(screen.text(row: 1).contains("> 0:"))
        // What stood there before the screen is not of the screen.
        let drawn = duet.child.output.split(separator: "\u{1B}[?1049h").last ?? ""
        #expect(drawn.utf8.allSatisfy { $0 < 0x80 })
        try quit(duet)
    }

    @Test func aDumbTerminalHasTheStatusLine() throws {
        let duet = try DuetProgram(
            arguments([]), environment: ["TERM": "dumb"], streams: .terminal)
        try duet.child.waitForOutput("playing 0:")
        #expect(!duet.child.output.contains("1049"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// Titles of a playlist; songs are selected, moved, removed, played, typed and pasted.
    @Test func theListHasAPage() throws {
        let names = try (1...3).map { try folder.song("\($0) 世.mp3", seconds: 60).path }
        let list = try folder.write(
            "list.m3u", "#EXTM3U\n#EXTINF:1,World\n\(names[0])\n\(names[1])\n")
        let duet = try start([list.path, "--mic", "none"])
        func waitForRows(_ rows: [String]) throws {
            try duet.waitForScreen { screen in
                (0..<rows.count).allSatisfy { screen.text(row: 3 + $0) == rows[$0] }
                    && screen.text(row: 3 + rows.count).isEmpty
            }
        }
        duet.child.type("P")
        try waitForRows([" ▸▶ 1  tune.mp3", "    2  list.m3u"])
        duet.child.type("\u{1B}[B\r")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World", "    3  2 世.mp3"])
        // While a line is typed no key is a command, and escape leaves it.
        duet.child.type("aqqq")
        try duet.waitForScreen { $0.lines.contains(" add a song: qqq_") }
        duet.child.type("\u{1B}")
        try duet.waitForScreen { $0.lines.last?.hasPrefix(" enter play") == true }
        duet.child.type("a\(names[2])\r")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World", "    3  2 世.mp3", "    4  3 世.mp3"])
        duet.child.type("\u{1B}[B\u{1B}[Buu")
        try waitForRows(["    1  tune.mp3", " ▸  2  3 世.mp3", "  ▶ 3  World", "    4  2 世.mp3"])
        duet.child.type("j\u{1B}[1;2B\u{1B}[1;2A")
        try waitForRows(["    1  tune.mp3", "  ▶ 2  World", " ▸  3  3 世.mp3", "    4  2 世.mp3"])
        duet.child.type("\u{7F}\u{1B}[3~")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World"])
        duet.child.type("a")
        duet.child.type("\u{1B}[200~\(names[1])\r\n/nowhere.mp3\r\n\(names[2])\r\n\u{1B}[201~")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World", "    3  2 世.mp3", "    4  3 世.mp3"])
        // A click selects, two play, the wheel goes on.
        duet.child.type("\u{1B}[<0;9;4M")
        try waitForRows([" ▸  1  tune.mp3", "  ▶ 2  World", "    3  2 世.mp3", "    4  3 世.mp3"])
        duet.child.type("\u{1B}[<65;9;4M")
        try waitForRows(["    1  tune.mp3", "  ▶ 2  World", "    3  2 世.mp3", " ▸  4  3 世.mp3"])
        duet.child.type("\u{1B}[<0;9;6M\u{1B}[<0;9;6M")
        try waitForRows(["    1  tune.mp3", "    2  World", " ▸▶ 3  2 世.mp3", "    4  3 世.mp3"])
        // Keys that are none of the page do what they always do.
        duet.child.type("9P")
        try duet.waitForScreen { screen in screen.lines.contains { $0.contains("-1.0 dB") } }
        try quit(duet)
    }
}
