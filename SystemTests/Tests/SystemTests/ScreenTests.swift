import Foundation
import Rig
import Testing

/// The screen of the program itself, with a real server and a terminal.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ScreenTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(_ more: [String] = []) throws -> Duet {
        let song = try stage.folder.song("tune.mp3", seconds: 60).path
        let duet = try stage.start(["sing", song] + more, events: false)
        try duet.waitForSong()
        return duet
    }

    private func quit(_ duet: Duet) throws {
        // Of a list: twice.
        duet.child.type("qq")
        #expect(try duet.child.waitForExit() == .code(0))
        duet.expectGivenBack()
    }

    /// The head and the foot of the screen; of the keys `KeyScreenTests` knows more.
    @Test func theScreenStands() throws {
        let duet = try start()
        let first = try duet.waitForScreen { $0.text(row: 0).contains("xruns") }
        #expect(first.text(row: 0).hasPrefix(" tune.mp3 "))
        #expect(first.text(row: 0).contains("48 kHz · 128 · ear"))
        #expect(first.lines.last?.hasPrefix(" h help  space pause") == true)
        #expect(first.modes.isSuperset(of: [1049, 1000, 1006, 2004]) && !first.modes.contains(25))
        duet.child.type("99\tc]mK")
        try duet.waitForScreen { screen in
            ["-2.0 dB", "muted", "key +1"].allSatisfy { text in
                screen.lines.contains { $0.contains(text) }
            }
        }
        // Everything goes back but what was muted.
        duet.child.type("z")
        let last = try duet.waitForScreen { screen in
            screen.lines.contains { $0.contains("muted") }
                && !screen.lines.contains { $0.contains("key +1") || $0.contains("-2.0 dB") }
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
                && text.contains("plate") && text.contains(/comp -?[0-9]+\.[0-9]/)
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
            screen.lines.contains(" client \(stage.client) on JACK server \(stage.server.name)")
                && screen.lines.contains(" mic ← system:capture_1")
                && screen.lines.contains { $0.contains("connected \(stage.client):out_left to") }
        }
        duet.child.type("L")
        try duet.waitForScreen { $0.lines.contains(" this song has no lyrics") }
        duet.child.type("\u{1B}")
        try duet.waitForScreen { $0.lines.contains { $0.contains("  -48") } }
        try quit(duet)
    }

    @Test func aSecondInterruptGivesTheTerminalBack() throws {
        let duet = try start()
        // With a stopped server a clean end of the client takes some time.
        stage.server.suspend()
        duet.child.type("\u{3}")
        try duet.waitForScreen { $0.text(row: 1).contains("stopping") || !$0.isAlternate }
        duet.child.type("\u{3}")
        #expect(try duet.child.waitForExit() == .code(130))
        duet.expectGivenBack()
        stage.server.kill()
    }

    /// Why the program ended is not on the screen that is gone with it.
    @Test func anErrorIsWrittenBelow() throws {
        let duet = try start(["--server-wait", "0"])
        stage.server.kill()
        #expect(try duet.child.waitForExit() == .code(69))
        duet.expectGivenBack()
        let lines = duet.picture().lines
        #expect(lines.contains { $0.hasPrefix("duet: ") && $0.contains("server") }, "\(lines)")
    }

    /// Titles of a playlist; songs are selected, moved, removed, played, typed and pasted.
    @Test func theListHasAPage() throws {
        let names = try (1...3).map { try stage.folder.song("\($0) 世.mp3", seconds: 60).path }
        let list = try stage.folder.write(
            "list.m3u", "#EXTM3U\n#EXTINF:1,World\n\(names[0])\n\(names[1])\n")
        let duet = try start([list.path, "--mic", "none"])
        func waitForRows(_ rows: [String]) throws {
            try duet.waitForScreen { screen in
                (0..<rows.count).allSatisfy { screen.text(row: 3 + $0).hasPrefix(rows[$0]) }
                    && screen.text(row: 3 + rows.count).isEmpty
            }
        }
        duet.child.type("P")
        try waitForRows([" ▸▶ 1  tune.mp3", "    2  World", "    3  2 世.mp3"])
        duet.child.type("\u{1B}[B\r")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World", "    3  2 世.mp3"])
        // While a line is typed no key is a command, and escape leaves it.
        duet.child.type("aqqq")
        try duet.waitForScreen { $0.lines.contains(" add a song: qqq_") }
        duet.child.type("\u{1B}")
        try duet.waitForScreen { $0.lines.last?.hasPrefix(" enter play") == true }
        duet.child.type("a\(names[2])\r")
        try waitForRows(["    1  tune.mp3", " ▸▶ 2  World", "    3  2 世.mp3", "    4  3 世.mp3"])
        duet.child.type("\u{1B}[B\u{1B}[B\u{1B}[1;2A\u{1B}[1;2A")
        try waitForRows(["    1  tune.mp3", " ▸  2  3 世.mp3", "  ▶ 3  World", "    4  2 世.mp3"])
        duet.child.type("\u{1B}[1;2B\u{1B}[1;2B\u{1B}[1;2A")
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
        // Volumes change on the page, too.
        duet.child.type("9P")
        try duet.waitForScreen { screen in screen.lines.contains { $0.contains("-1.0 dB") } }
        try quit(duet)
    }
}
