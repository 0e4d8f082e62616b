import Foundation
import Rig
import Testing

/// The program in a shell on a real terminal.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct RealTerminalTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// The line that starts duet in a shell; the file `process` has its process id then.
    private func line(
        _ environment: String = "TERM=xterm-256color LANG=C.UTF-8", _ more: String = ""
    ) throws -> String {
        let song = try stage.folder.song("Mädchen – Lied.mp3", seconds: 120).path
        return "env -u COLORTERM -u NO_COLOR -u LC_ALL -u LC_CTYPE JACK_NO_START_SERVER=1 "
            + "\(environment) sh -c 'echo $$ > \(stage.path("process")); exec \(Duet.path) sing "
            + "\"\(song)\" -s \(stage.server.name) -n \(stage.client) \(more)'"
    }

    private func process() throws -> pid_t {
        let text = try String(contentsOfFile: stage.path("process"), encoding: .utf8)
        return try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    }

    /// Whether the terminal shows the alternate screen, and a cursor, and tells of the mouse.
    private func modes(_ tmux: Tmux) throws -> String {
        try tmux.tell("#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag}")
    }

    private func waitForSong(_ tmux: Tmux) throws {
        try tmux.wait { $0.contains { $0.contains("▶ 0:") } }
        #expect(try modes(tmux) == "1 0 1 1")
    }

    /// How often all was drawn anew, by a record of all that is printed on a terminal. It grows
    /// meanwhile, and may end in the middle of a character.
    private func drawings(_ record: String) throws -> Int {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: record))
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\u{1B}[2J").count
    }

    /// Expects that the terminal shows just what it shows when all is drawn anew.
    private func expectPresentPicture(_ tmux: Tmux, record: String) throws {
        let process = try process()
        let isPresent = try poll(seconds: 30) {
            let (before, count) = try (tmux.picture(), drawings(record))
            kill(process, SIGWINCH)
            // Again, where something has changed between the two.
            return try poll(seconds: 2) {
                try drawings(record) > count && tmux.picture() == before
            }
        }
        #expect(isPresent)
    }

    @Test func everySizeHasItsPicture() throws {
        let tmux = try Tmux("PS1='$ ' sh")
        let record = stage.path("record")
        try tmux.record(to: URL(fileURLWithPath: record))
        try tmux.type(line() + "\r")
        try waitForSong(tmux)
        for (columns, rows) in [
            (200, 60), (80, 24), (39, 9), (40, 10), (39, 10), (40, 9), (100, 30),
        ] {
            try tmux.resize(columns: columns, rows: rows)
            guard columns >= 40, rows >= 10 else {
                try tmux.wait { $0.contains { $0.hasPrefix("playing 0:") } }
                #expect(try modes(tmux) == "0 1 0 0")
                continue
            }
            try tmux.wait { lines in
                lines.count == rows && lines[rows - 1].hasPrefix(" h help")
                    && lines[1].hasPrefix(" ▶ 0:") && lines[0].hasPrefix(" Mädc")
                    && lines[0].contains(" – Lied")
            }
            #expect(try modes(tmux) == "1 0 1 1")
            try tmux.type(" ")
            try tmux.wait { $0[1].hasPrefix(" ‖ paused") }
            try expectPresentPicture(tmux, record: record)
            try tmux.type(" ")
            try tmux.wait { $0[1].hasPrefix(" ▶ 0:") }
        }
        try tmux.type("q")
        try tmux.wait { $0.contains { $0.hasPrefix("$") } }
        #expect(try modes(tmux) == "0 1 0 0")
    }

    @Test func aShellStopsAndContinuesIt() throws {
        let tmux = try Tmux("PS1='$ ' bash --norc --noprofile")
        let record = stage.path("record")
        try tmux.record(to: URL(fileURLWithPath: record))
        try tmux.type("stty -a > \(stage.path("before"))\r")
        try tmux.type(line() + "\r")
        try waitForSong(tmux)
        for round in 1...2 {
            try tmux.press("C-z")
            try tmux.wait { $0.contains { $0.contains("Stopped") } }
            #expect(try modes(tmux) == "0 1 0 0")
            try tmux.type("stty -a > \(stage.path("after"))\r")
            try tmux.type("echo round $((\(round)))\r")
            try tmux.wait(for: "round \(round)")
            #expect(try text("before") == text("after"))
            try tmux.type("fg\r")
            try waitForSong(tmux)
        }
        // In the background the terminal is the shell's.
        try tmux.press("C-z")
        try tmux.wait { $0.last { !$0.isEmpty } == "$" }
        try tmux.type("bg\r")
        try tmux.wait { $0.contains { $0.hasSuffix("' &") } }
        #expect(poll { (try? stage.server.tool("jack_lsp", []).contains(stage.client)) ?? false })
        try tmux.type("echo the $((6 * 7))\r")
        try tmux.wait { $0.contains("the 42") }
        #expect(try modes(tmux) == "0 1 0 0")
        try tmux.type("fg\r")
        try waitForSong(tmux)
        try tmux.type(" ")
        try tmux.wait { $0[1].hasPrefix(" ‖ paused") }
        try expectPresentPicture(tmux, record: record)
        try tmux.type("q")
        try tmux.wait { $0.last { !$0.isEmpty } == "$" }
        #expect(try modes(tmux) == "0 1 0 0")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: stage.path(name), encoding: .utf8)
    }

    @Test(arguments: [(SIGTERM, 0), (SIGHUP, 0), (SIGINT, 0), (SIGSEGV, 139), (SIGQUIT, 131)])
    func aSignalLeavesTheTerminalAsItWas(signal: Int32, code: Int) throws {
        let tmux = try Tmux("PS1='$ ' sh")
        try tmux.type(
            "stty -a > \(stage.path("before")); \(line()); echo code $?; stty -a > \(stage.path("after")); "
                + "cat -v\r")
        try waitForSong(tmux)
        try kill(process(), signal)
        try tmux.wait { $0.contains { $0 == "code \(code)" } }
        #expect(try modes(tmux) == "0 1 0 0")
        // A paste that is still marked would show it.
        try tmux.paste("pasted\n")
        let lines = try tmux.wait { $0.count { $0 == "pasted" } == 2 }
        #expect(try text("before") == text("after"))
        // What was there before the screen, in lines that the terminal has broken.
        #expect(lines.joined().filter { $0 != " " }.contains("echocode$?"), "\(lines)")
    }

    /// The parameters of all styles (SGR) in `text`.
    private func styles(_ text: String) -> Set<Substring> {
        Set(text.matches(of: /\u{1B}\[([0-9;]*)m/).map(\.output.1))
    }

    /// All that is printed while a song plays, is paused and ends.
    private func printed(_ environment: String, _ more: String = "") throws -> String {
        let tmux = try Tmux("PS1='$ ' sh")
        let record = stage.path("record")
        try tmux.type(line(environment, more))
        // The terminal breaks the line wherever it ends.
        let end = "-n\(stage.client)\(more)'"
        try tmux.wait { $0.joined().replacing(" ", with: "").contains(end) }
        try tmux.record(to: URL(fileURLWithPath: record))
        try tmux.type("\r")
        // Seen on the terminal: what is printed may be parts of a line that was there before.
        try tmux.wait { $0.contains { $0.contains(/(playing|▶|>) 0:/) } }
        try tmux.type("9 ")
        #expect(poll { ((try? text("record")) ?? "").contains("song volume -1.0 dB") })
        #expect(poll { ((try? text("record")) ?? "").contains("paused") })
        try tmux.type("q")
        try tmux.wait { $0.last { !$0.isEmpty } == "$" }
        return try text("record")
    }

    /// Neither movements nor styles nor modes, and no picture: lines.
    @Test func aDumbTerminalGetsLines() throws {
        let text = try printed("TERM=dumb LANG=C.UTF-8")
        #expect(!text.contains("\u{1B}"))
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n")
        for state in ["playing", "paused", "stopped"] {
            #expect(lines.count { $0.hasPrefix("\(state) 0:0") } == 1)
        }
        #expect(lines.contains("song volume -1.0 dB"))
        #expect(!text.replacing("\r\n", with: "").contains("\r"))
    }

    @Test(arguments: ["TERM=vt100", "TERM=xterm-256color NO_COLOR=1"])
    func withoutColours(environment: String) throws {
        let text = try printed(environment + " LANG=C.UTF-8")
        #expect(styles(text).isSubset(of: ["", "0", "0;1", "0;7"]), "\(styles(text))")
        #expect(text.contains("\u{1B}[?1049h") && text.contains("━"))
    }

    @Test func with256Colours() throws {
        let styles = styles(try printed("TERM=xterm-256color LANG=C.UTF-8"))
        #expect(styles.contains { $0.contains("38;5;") })
        #expect(!styles.contains { $0.contains("38;2;") })
        #expect(
            styles.allSatisfy { $0.wholeMatch(of: /|0(;[17])?(;38;5;[0-9]+)?/) != nil },
            "\(styles)")
    }

    /// The name of the song has an umlaut and a dash.
    @Test(arguments: ["", "--plain"]) func withoutUTF8(more: String) throws {
        let text = try printed("TERM=xterm-256color LANG=C", more)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.contains("M?dchen - Lied.mp3"))
    }
}
