import Foundation
import Rig
import Testing

/// The words of a running duet on another terminal: `duet stage`. Not under PipeWire, whose socket is in the
/// folder that these tests have for themselves.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct StageTests {
    private let stage: Stage
    private let environment: [String: String?]

    init() throws {
        stage = try Stage()
        let runtime = stage.path("run")
        try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: false)
        environment = [
            "XDG_RUNTIME_DIR": runtime, "TERM": "xterm-256color", "TMUX": nil, "LANG": "C.UTF-8",
        ]
    }

    private func start() throws -> Duet {
        let song = try stage.song("a.mp3", seconds: 90)
        try stage.folder.write("a.lrc", "[00:00.00]Every star\n[01:20.00]a story told\n")
        let duet = try stage.start(
            ["sing", "--mic", "none", song], events: false, environment: environment)
        try duet.waitForSong()
        return duet
    }

    private func watch(_ arguments: [String] = []) throws -> Duet {
        try Duet(["stage"] + arguments, environment: environment, streams: .terminal)
    }

    private func waitForWords(_ duet: Duet) throws {
        try duet.waitForScreen { screen in screen.lines.contains { $0.contains("█▐▌█▟▌") } }
    }

    /// What singers see, by keys of the host; no key but `q` and Ctrl-C counts there, and the host sings on.
    @Test func wordsAreOnAnotherTerminal() throws {
        let host = try start()
        let first = try watch()
        try waitForWords(first)
        let second = try watch(["--letters", "small"])
        try second.waitForScreen { screen in screen.lines.contains { $0.contains("Every star") } }
        // The host's view is the host's own.
        host.child.type("w k")
        for view in [first, second] {
            try view.waitForScreen { screen in
                screen.text(row: 1).contains("‖ paused")
                    && screen.lines.contains { $0.contains("key -1") }
                    && screen.lines.last?.contains("ends this view alone") == true
            }
        }
        first.child.type("m ")
        first.child.type("q")
        #expect(try first.child.waitForExit() == .code(0))
        first.expectGivenBack()
        second.child.type("\u{3}")
        #expect(try second.child.waitForExit() == .code(0))
        second.expectGivenBack()
        host.child.type(" ")
        try host.waitForScreen { $0.text(row: 1).contains("▶") }
        host.child.type("q")
        #expect(try host.child.waitForExit() == .code(0))
    }

    /// With the run the view ends, and says so; without a run there is none.
    @Test func itEndsWithTheRun() throws {
        let host = try start()
        let view = try watch()
        try waitForWords(view)
        host.child.type("q")
        #expect(try host.child.waitForExit() == .code(0))
        #expect(try view.child.waitForExit() == .code(0))
        view.expectGivenBack()
        #expect(view.child.output.contains("the duet that was shown has ended"))
        let none = try watch()
        #expect(try none.child.waitForExit() == .code(69))
        #expect(none.child.output.contains("no duet is running"))
        let pipe = try ChildProcess(Duet.path, ["stage"], environment: environment)
        #expect(try pipe.waitForExit() != .code(0))
    }

    /// A terminal that takes no output holds up nobody; a killed view leaves the run as it is.
    @Test func aViewThatStandsStillHoldsUpNobody() throws {
        let host = try start()
        let view = try watch()
        try waitForWords(view)
        view.child.signal(SIGSTOP)
        host.child.type("kkk")
        try host.waitForScreen { screen in screen.lines.contains { $0.contains("key -3") } }
        view.child.signal(SIGCONT)
        try view.waitForScreen { screen in screen.lines.contains { $0.contains("key -3") } }
        view.child.signal(SIGKILL)
        host.child.type("K")
        try host.waitForScreen { screen in screen.lines.contains { $0.contains("key -2") } }
        host.child.type("q")
        #expect(try host.child.waitForExit() == .code(0))
    }
}
