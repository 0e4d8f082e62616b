import Foundation
import TestSupport
import Testing

/// A terminal or a pipe that reads nothing: duet still handles keys and plays.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct StalledReaderTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    /// Starts `duet sing` with a silent song; `isReady` tells from the output when it plays.
    private func start(
        _ arguments: [String], streams: ChildProcess.Streams = .terminal
    ) throws -> DuetProgram {
        try DuetProgram(
            [
                "sing", try folder.song(seconds: 120).path, "--song-volume", "0", "-s",
                server.name, "-n", client,
            ] + arguments, environment: ["TERM": "xterm", "LANG": "C.UTF-8"], streams: streams)
    }

    /// Whether noise at the microphone is heard at the output.
    private func isHeard() throws -> Bool {
        let witness = try Witness(
            [
                "--noise", "7", "--frames", "4800", "--connect-to", "\(client):mic:0",
                "--connect-from", "\(client):out_left:0",
            ], server: server, record: 1)
        return try witness.finish().channels[0].suffix(2400).contains { $0 != 0 }
    }

    /// Expects that the microphone is heard soon. The client's ports are listed before it is active,
    /// and cannot be connected until then.
    private func expectSound() {
        #expect(poll(seconds: 30) { (try? isHeard()) ?? false })
    }

    /// Mutes and unmutes the microphone, and quits, by keys alone.
    private func expectControl(_ duet: DuetProgram) throws {
        duet.child.type("m")
        #expect(try poll { try !isHeard() })
        duet.child.type("m")
        #expect(try poll { try isHeard() })
        duet.child.type("q")
        // duet waits 0.5 s for the reader; a program that waits without limit would never end.
        #expect(try duet.child.waitForExit(limit: 10) == .code(0))
        #expect(duet.child.terminalIsCooked)
        #expect(try !server.tool("jack_lsp", []).contains(client))
    }

    @Test(arguments: [["--plain"], ["--json", "--levels"], ["--log-level", "trace"]])
    func aTerminalThatNobodyReads(arguments: [String]) throws {
        let duet = try start(arguments)
        try duet.child.waitForOutput("playing")
        #expect(try poll { try isHeard() })
        duet.child.fillTerminal()
        try expectControl(duet)
    }

    @Test func aScreenThatNobodyReads() throws {
        let duet = try start([])
        try duet.child.waitForOutput("▶")
        #expect(try poll { try isHeard() })
        duet.child.fillTerminal()
        try expectControl(duet)
        // Who reads again finds the terminal as it was.
        duet.child.emptyTerminal()
        #expect(
            poll {
                var picture = TerminalPicture(columns: 100, rows: 30)
                picture.feed(duet.child.output)
                return picture.modes == [25]
            })
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
        let duet = try start(["--plain"])
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
        expectSound()
        try expectControl(duet)
    }

    // The message of a failure is not read either.
    @Test func aFullPipeBehindStandardErrorDoesNotHoldAFailure() throws {
        let ends = fullPipe()
        defer { for end in [ends.read, ends.write] { close(end) } }
        let duet = try DuetProgram(
            [
                "play", try folder.song(seconds: 60).path, "--json", "--server-wait", "0", "-s",
                server.name, "-n", client,
            ], streams: .errors(ends.write))
        try duet.wait(for: Events.Playing.self)
        server.kill()
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
        expectSound()
        try expectControl(duet)
    }
}
