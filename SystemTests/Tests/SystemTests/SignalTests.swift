import Foundation
import Rig
import Testing

/// Stopping duet, with a real server, a real terminal, and a song that never comes.
@Suite(.serialized) struct SignalTests {
    private let server: JackServer
    private let client = Duet.clientName()
    private let silence: SilentServer

    init() throws {
        server = try JackServer()
        silence = try SilentServer()
    }

    private func start(
        _ arguments: [String] = [], environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws -> Duet {
        try Duet(
            ["http://127.0.0.1:\(silence.port)/song.mp3", "-s", server.name, "-n", client]
                + arguments,
            environment: environment, streams: streams)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func oneSignalStopsCleanly(signal: Int32) throws {
        let duet = try start(["--json"])
        try duet.wait(for: Events.Ready.self)
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Bye.self) != nil)
        #expect(duet.complaint.isEmpty)
        // PipeWire lists a client for a moment after it has closed.
        #expect(try JackServer.isPipeWire || !server.tool("jack_lsp", []).contains(client))
    }

    // On other threads signals must be blocked: libjack takes an interrupted wait for the end of
    // its server.
    @Test func onlyTheMainThreadTakesSignals() throws {
        let duet = try start(["--json"])
        try duet.wait(for: Events.Ready.self)
        let tasks = "/proc/\(duet.child.identifier)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        #expect(threads.count > 2)
        for thread in threads {
            let file = "\(tasks)/\(thread)/status"
            var status: String?
            let isMain = thread == "\(duet.child.identifier)"
            // Polled, since some threads exist only for a moment. A thread that begins or ends
            // blocks all signals, and the main thread blocks all but faults while it starts a
            // thread.
            _ = poll {
                status = try? String(contentsOfFile: file, encoding: .utf8)
                guard let status else { return true }
                let isOpen = status.contains("SigBlk:\t0000000000000000")
                return isMain ? isOpen : !status.contains("SigBlk:\tfffffffffffbfeff")
            }
            guard let status else { continue }
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
            let mask = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
            for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT] {
                #expect((mask & 1 << UInt64(number - 1) == 0) == isMain, "\(status)")
            }
            // A fault on any thread gives the terminal back before it ends the program.
            let handled = try #require(
                status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
            let caught = try #require(UInt64(handled.split(separator: "\t")[1], radix: 16))
            for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] {
                let bit: UInt64 = 1 << UInt64(number - 1)
                #expect(mask & bit == 0 && caught & bit != 0, "\(number): \(status)")
            }
        }
        duet.child.signal(SIGINT)
        try duet.child.waitForExit()
    }

    @Test(arguments: ["q", "\u{3}"])
    func aKeyStopsCleanly(key: String) throws {
        let duet = try start(Duet.statusLine, streams: .terminal)
        try duet.child.waitForOutput("xruns")
        #expect(!duet.child.terminalIsCooked)
        duet.child.type(key)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.terminalIsCooked)
    }

    @Test func theFirstLineSaysUseHeadphones() throws {
        let duet = try start(environment: ["TERM": "dumb"], streams: .terminal)
        try duet.child.waitForOutput("space pause")
        #expect(duet.child.output.hasPrefix("use headphones"))
        duet.child.type("q")
        try duet.child.waitForExit()
    }

    @Test func aSecondInterruptEndsAtOnce() throws {
        let duet = try start(Duet.statusLine, streams: .terminal)
        try duet.child.waitForOutput("xruns")
        // With a stopped server a clean end of the client takes some time.
        server.suspend()
        duet.child.type("\u{3}")
        try duet.child.waitForOutput("stopping")
        duet.child.type("\u{3}")
        #expect(try duet.child.waitForExit() == .code(130))
        #expect(duet.child.terminalIsCooked)
        server.kill()
    }

    @Test(arguments: [SIGSEGV, SIGABRT])
    func aFaultGivesTheTerminalBack(signal: Int32) throws {
        let duet = try start(Duet.statusLine, streams: .terminal)
        try duet.child.waitForOutput("xruns")
        #expect(!duet.child.terminalIsCooked)
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit() == .signal(signal))
        #expect(duet.child.terminalIsCooked)
        // The cursor is left below the status line, where the shell's prompt comes.
        #expect(poll { duet.child.output.hasSuffix("\r\n\u{1B}[J") })
    }

    @Test func suspendingGivesTheTerminalBack() throws {
        let duet = try start(Duet.statusLine, streams: .terminal)
        try duet.child.waitForOutput("xruns")
        // Without a shell duet is not really stopped, but does all that belongs to a stop.
        duet.child.type("\u{1A}")
        // The old status line stays, and a new one is drawn below.
        try duet.child.waitForOutput { text in
            guard let first = text.firstRange(of: "xruns") else { return false }
            let below = text[first.upperBound...].drop { $0 != "\n" }
            return below.contains("xruns")
        }
        duet.child.signal(SIGCONT)
        duet.child.signal(SIGWINCH)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.terminalIsCooked)
    }

    @Test func keysAreParameters() throws {
        let duet = try start(["--json", "--mic-pan", "left"], streams: .terminal)
        try duet.wait(for: Events.Ready.self)
        duet.child.type("m9+.s")
        try duet.child.waitForOutput("\"/mic/pan\"")
        let changes = try duet.all(Events.Parameter.self)
        #expect(
            changes.compactMap { $0.address } == [
                "/mic/mute", "/song/volume", "/mic/volume", "/song/pan", "/song/pan", "/mic/pan",
            ])
        #expect(changes.first?.value == 1)
        #expect(changes.last?.value == 1)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    // Not under PipeWire, which belongs to the user and is not killed.
    @Test(.disabled(if: JackServer.isPipeWire)) func aServerThatDiesEndsTheProgram() throws {
        let duet = try start(["--json", "--server-wait", "0"])
        try duet.wait(for: Events.Ready.self)
        server.kill()
        #expect(try duet.child.waitForExit(limit: 10) == .code(69))
        #expect(try duet.first(Events.Server.self)?.state == "lost")
        #expect(try duet.first(Events.Failure.self)?.code == 69)
        #expect(try duet.told.last is Events.Bye)
        #expect(duet.complaint.count == 1)
    }

    @Test func aReaderThatLeavesEndsTheProgram() throws {
        let duet = try start(["--json"])
        try duet.wait(for: Events.Ready.self)
        duet.child.stopReading()
        #expect(try duet.child.waitForExit() == .code(74))
        #expect(duet.complaint.count == 1)
    }

    @Test func aReaderThatDoesNotReadDoesNotHoldTheEnd() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The pipe is full to the last byte, and then blocking again.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        while write(ends[1], "-", 1) == 1 {}
        _ = fcntl(ends[1], F_SETFL, 0)
        let duet = try start(["--json", "--levels"], streams: .output(ends[1]))
        // Waits for a connection, since a client's ports are listed before it is active.
        #expect(try poll { try server.connections().contains { $0.contains(client) } })
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit(limit: 10) == .code(0))
        #expect(duet.complaint.isEmpty)
    }

    @Test(arguments: [[], ["--plain"]])
    func withoutATerminalTheStatusIsLines(arguments: [String]) throws {
        let duet = try start(arguments)
        try duet.child.waitForOutput("song.mp3: waiting for the ")
        duet.child.signal(SIGTERM)
        try duet.child.waitForExit()
        #expect(!duet.child.output.contains("\u{1B}"))
        #expect(!duet.child.output.contains("\r"))
        let lines = duet.child.output.split(separator: "\n")
        #expect(lines.count { $0.contains("waiting for the ") } == 1)
        let ends = lines.suffix(2).map { $0.prefix { $0 != " " } }
        #expect(ends == ["stopping", "stopped"])
    }
}

/// A server that accepts connections and never answers.
private final class SilentServer {
    private let descriptor: Int32
    let port: Int

    init() throws { (descriptor, port) = try FileServer.listen() }

    deinit { close(descriptor) }
}
