import Foundation
import Rig
import Testing

/// A terminal or a pipe that reads nothing: duet still handles keys and plays.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct StalledReaderTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Starts `duet sing` with a silent song, whose output is not only events.
    private func start(
        _ arguments: [String], streams: ChildProcess.Streams = .terminal
    ) throws -> Duet {
        try stage.start(
            ["sing", stage.song(seconds: 120), "--song-volume", "0"] + arguments, events: false,
            streams: streams)
    }

    /// Whether noise at the microphone is heard at the output.
    private func isHeard() throws -> Bool {
        let witness = try Witness(
            [
                "--noise", "7", "--frames", "4800", "--connect-to", "\(stage.client):mic:0",
                "--connect-from", "\(stage.client):out_left:0",
            ], server: stage.server, record: 1)
        return try witness.finish().channels[0].suffix(2400).contains { $0 != 0 }
    }

    /// Expects that the microphone is heard, once duet has connected itself: no event says so.
    private func expectSound() throws {
        let wire = "\(stage.client):out_right   system:playback_2"
        #expect(try poll(seconds: 30) { try stage.server.connections().contains(wire) })
        #expect(try poll { try isHeard() })
    }

    /// Mutes and unmutes the microphone, and quits, by keys alone.
    private func expectControl(_ duet: Duet) throws {
        duet.child.type("m")
        #expect(try poll { try !isHeard() })
        duet.child.type("m")
        #expect(try poll { try isHeard() })
        duet.child.type("q")
        // duet waits 0.5 s for the reader; a program that waits without limit would never end.
        #expect(try duet.child.waitForExit(limit: 10) == .code(0))
        #expect(duet.child.terminalIsCooked)
        #expect(try !stage.server.tool("jack_lsp", []).contains(stage.client))
    }

    @Test(arguments: [
        ["--plain"], Duet.statusLine, ["--json", "--levels"], ["--log-level", "trace"],
    ])
    func aTerminalThatNobodyReads(arguments: [String]) throws {
        let duet = try start(arguments)
        try duet.child.waitForOutput("playing")
        #expect(try poll { try isHeard() })
        duet.child.fillTerminal()
        try expectControl(duet)
    }

    @Test func aTerminalThatIsStopped() throws {
        let duet = try start(["--plain"])
        try duet.child.waitForOutput("playing")
        #expect(try poll { try isHeard() })
        duet.child.setTerminalStopped(true)
        try expectControl(duet)
    }

    // While duet reads keys, Ctrl-S is a key like others.
    @Test func controlSStopsNothing() throws {
        let duet = try start(["--plain"])
        try duet.child.waitForOutput("playing")
        duet.child.type("\u{13}9")
        try duet.child.waitForOutput("song volume")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func theStateShownAfterAStallIsTheNewest() throws {
        let duet = try start(Duet.statusLine)
        try duet.child.waitForOutput("playing")
        duet.child.fillTerminal()
        duet.child.type(" ")
        // The keys change the state, which is shown at the next look at it and no sooner.
        for _ in 0..<20 { duet.child.type("]") }
        duet.child.emptyTerminal()
        try duet.child.waitForOutput("paused")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// A pipe, full to the last byte.
    private func fullPipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        while write(ends[1], "-", 1) == 1 {}
        // Blocking again, as a shell's pipe is.
        _ = fcntl(ends[1], F_SETFL, 0)
        return (ends[0], ends[1])
    }

    @Test func aFullPipe() throws {
        let ends = fullPipe()
        defer { for end in [ends.read, ends.write] { close(end) } }
        let duet = try start(["--json", "--levels"], streams: .terminalAndOutput(ends.write))
        try expectSound()
        try expectControl(duet)
    }

    // The message of a failure is not read either.
    @Test func aFullPipeBehindStandardErrorDoesNotHoldAFailure() throws {
        let ends = fullPipe()
        defer { for end in [ends.read, ends.write] { close(end) } }
        let duet = try stage.start(
            ["play", stage.song(), "--server-wait", "0"], streams: .errors(ends.write))
        try duet.wait(for: Events.Playing.self)
        stage.server.kill()
        #expect(try duet.child.waitForExit(limit: 10) == .code(69))
        #expect(try duet.first(Events.Bye.self) != nil)
    }

    @Test func aPipeReadAtAByteASecond() throws {
        let ends = fullPipe()
        defer { close(ends.write) }
        let isOver = DispatchSemaphore(value: 0)
        let reader = Thread {
            var byte: UInt8 = 0
            while isOver.wait(timeout: .now() + 1) == .timedOut { read(ends.read, &byte, 1) }
            close(ends.read)
        }
        reader.start()
        defer { isOver.signal() }
        let duet = try start(["--json", "--levels"], streams: .terminalAndOutput(ends.write))
        try expectSound()
        try expectControl(duet)
    }
}
