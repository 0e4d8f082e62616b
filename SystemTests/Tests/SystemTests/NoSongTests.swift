import Foundation
import Rig
import Testing

/// `duet sing` without a song, as a desktop's menu starts it in a terminal.
@Suite(.serialized) struct NoSongTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test func atATerminalTheMicrophoneOpensAndSongsAreAdded() throws {
        let song = try stage.song(seconds: 2)
        let terminal = try stage.screen(["sing", "--mic", "none"])
        try terminal.wait(for: "no song yet; press a to add one")
        try terminal.wait { $0.contains { $0.contains("▸song") } }
        try terminal.type("a")
        try terminal.wait(for: " add a song: _")
        try terminal.type(song)
        try terminal.press("Enter")
        // When the song is over the next may be added.
        try terminal.wait(for: "end of song")
        try terminal.type("q")
        try terminal.wait(for: "stopped 0:0")
    }

    /// What packaging/duet.desktop runs: the terminal of a failed start stays until its reason is read.
    @Test(.disabled(if: JackServer.isPipeWire)) func theMenuLeavesTheReasonOnTheScreen() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../..").standardizedFileURL
        let entry = try String(
            contentsOf: root.appendingPathComponent("packaging/duet.desktop"), encoding: .utf8)
        let line = try #require(entry.firstMatch(of: #/\nExec=(.*) %F\n/#)).1
            // Backslashes of the file; what is left is quoted as in a shell.
            .replacing(#"\\"#, with: #"\"#)
        let tools = URL(fileURLWithPath: Duet.path).deletingLastPathComponent().path
        let terminal = try Tmux(
            "env PATH=\(tools):\"$PATH\" JACK_NO_START_SERVER=1 JACK_DEFAULT_SERVER=nosuch \(line)")
        try terminal.wait { lines in
            lines.contains { $0.hasPrefix("duet: ") } && lines.contains("Press Enter to close.")
        }
        try terminal.press("Enter")
        try terminal.waitForEnd()
    }

    @Test func theProgramsNameAloneOpensNoMicrophone() throws {
        let duet = try Duet([], streams: .terminal)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.output.contains("try 'duet"))
    }

    /// Only the word `sing` asks for a microphone without a song.
    @Test func optionsAloneOpenNoMicrophone() throws {
        let duet = try stage.start(["--plain"], events: false)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.output.contains("SONG"))
    }

    /// A session manager that does not answer brings no songs.
    @Test func aSessionManagerThatIsGoneOpensNoMicrophone() throws {
        let gone = ["NSM_URL": "osc.udp://127.78.83.79:9/"]
        for arguments in [[], ["--plain"]] {
            let duet = try stage.start(arguments, events: false, environment: gone)
            #expect(try duet.child.waitForExit() == .code(64))
            #expect(duet.output.contains("name a song"))
        }
        let asked = try stage.start(
            ["sing", "--plain", "--mic", "none"], events: false, environment: gone)
        try asked.child.waitForOutput("no song yet")
        asked.child.type("q")
        #expect(try asked.child.waitForExit() == .code(0))
    }

    /// The note names only a way to add songs that this run has. PipeWire is looked for in the folder that
    /// is changed here.
    @Test(
        .disabled(if: JackServer.isPipeWire),
        arguments: [
            ([], "no song yet; add one with 'duet add SONG'"), (["--no-control"], "no song yet"),
        ])
    func theNoteNamesAWayToAddSongs(options: [String], note: String) throws {
        // Nothing that is typed can be shown there.
        let environment = ["TERM": "dumb", "XDG_RUNTIME_DIR": stage.folder.url.path]
        let duet = try stage.start(
            ["sing", "--mic", "none"] + options, events: false, environment: environment)
        try duet.child.waitForOutput {
            $0.split(whereSeparator: \.isNewline).contains(Substring(note))
        }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func aTransportNeedsASong() throws {
        let duet = try stage.start(["sing", "--transport", "follow"], events: false)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.output.contains("it takes one song at a time"))
    }

    /// Nobody is there to add one, with events even at a terminal.
    @Test func aScriptNeedsASong() throws {
        #expect(try Duet.run(["sing"]).child.waitForExit() == .code(64))
        #expect(try stage.start(["sing"]).child.waitForExit() == .code(64))
    }
}
