import Foundation
import Rig
import Testing

/// A terminal that takes nothing of the screen, or next to nothing: all else goes on, and when the
/// terminal takes again it gets the present picture.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ScreenStallTests {
    enum Stall: CaseIterable {
        /// Nobody reads, and not a byte more has room.
        case full
        /// The output is stopped.
        case stopped
        /// A byte a second is read.
        case slow

        func begin(_ child: ChildProcess) {
            if self == .stopped { return child.setTerminalStopped(true) }
            child.fillTerminal()
            if self == .slow { child.readTerminalSlowly() }
        }

        func end(_ child: ChildProcess) {
            if self == .stopped { child.setTerminalStopped(false) } else { child.emptyTerminal() }
        }
    }

    /// How long the song plays while the terminal takes nothing, in seconds of the song: a minute
    /// with `DUET_LONG_TESTS=1`.
    private static let seconds = LongTests.areRun ? 60 : 2.0

    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start() throws -> (duet: Duet, control: LineClient) {
        let song = try stage.folder.song("tune.mp3", seconds: 300).path
        let duet = try stage.start(["sing", song], events: false, takesCommands: true)
        try duet.waitForSong()
        return (duet, try stage.commands())
    }

    /// Expects that the song goes on for so many seconds, and that it is heard.
    private func expectSong(_ control: LineClient, seconds: Double) throws {
        func place() throws -> Double {
            let words = try control.ask("get /transport/position").split(separator: " ")
            return try #require(Double(words.last ?? ""))
        }
        let end = try place() + seconds
        #expect(try poll(seconds: 30 + 2 * seconds) { try place() >= end })
        // Each by another name: duet connects what comes again.
        let witness = try Witness(
            [
                "--name", Duet.clientName(), "--frames", "4800", "--connect-from",
                "\(stage.client):out_left:0",
            ], server: stage.server, record: 1)
        #expect(try witness.finish().channels[0].contains { $0 != 0 })
    }

    /// Expects that an address gets that value.
    private func expect(_ control: LineClient, _ address: String, _ value: String) {
        #expect(
            poll { (try? control.ask("get \(address)")) == "ok \(address) \(value)" },
            "\(address) \(value)")
    }

    @Test(arguments: Stall.allCases) func allElseGoesOn(stall: Stall) throws {
        let (duet, control) = try start()
        stall.begin(duet.child)
        try expectSong(control, seconds: Self.seconds)
        duet.child.type("m")
        expect(control, "/mic/mute", "on")
        // What others connect is noted, for it comes back with a lost server.
        _ = try stage.server.tool("jack_connect", ["system:capture_2", "\(stage.client):mic"])
        _ = try control.ask("get /mic/mute")
        let wires = try stage.server.connections()
        #expect(wires.contains("system:capture_2   \(stage.client):mic"))
        stage.server.kill()
        duet.child.type("x")
        expect(control, "/mic/preset", "natural")
        try stage.server.restart()
        #expect(try poll(seconds: 30) { try stage.server.connections() == wires })
        try expectSong(control, seconds: 1)
        duet.child.type(" ")
        expect(control, "/transport/play", "off")
        stall.end(duet.child)
        let screen = try duet.waitForScreen { screen in
            screen.text(row: 1).contains("‖ paused")
                && ["muted", "natural", "mic ← system:capture_1, capture_2"].allSatisfy {
                    text in
                    screen.lines.contains { $0.contains(text) }
                }
        }
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
        duet.expectPresentPicture()
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        duet.expectGivenBack()
    }

    /// The ways in which a run ends, and how the process ends then.
    enum End: CaseIterable {
        case key, hangup, fault

        func begin(_ child: ChildProcess) -> ChildProcess.Exit {
            switch self {
            case .key: child.type("q")
            case .hangup: child.signal(SIGHUP)
            case .fault:
                child.signal(SIGSEGV)
                return .signal(SIGSEGV)
            }
            return .code(0)
        }
    }

    /// No picture of the screen reaches the terminal after its own screen was given back.
    @Test(arguments: Stall.allCases, End.allCases)
    func theEndGivesTheTerminalBack(stall: Stall, end: End) throws {
        let (duet, control) = try start()
        stall.begin(duet.child)
        try expectSong(control, seconds: 1)
        let exit = end.begin(duet.child)
        // duet waits 0.5 s for the reader; a program that waits without limit would never end.
        #expect(try duet.child.waitForExit(limit: 10) == exit)
        #expect(duet.child.terminalIsCooked)
        duet.child.emptyTerminal()
        duet.expectGivenBack()
        let own = duet.child.output.components(separatedBy: "\u{1B}[?1049h")[0]
        #expect(duet.picture().lines == Duet.picture(own).lines)
    }
}
