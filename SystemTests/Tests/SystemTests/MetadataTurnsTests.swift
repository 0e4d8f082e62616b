import Foundation
import Rig
import Testing

/// Another program holds the turn to use JACK's metadata: duet waits for its turn, but not long; and
/// it does not end while it is in there.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MetadataTurnsTests {
    /// Holds the turn, as another duet that is stuck in the database would.
    private final class Turn {
        private let folder: Int32

        init() throws {
            folder = open("/dev/shm/jack_db-\(getuid())", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0, flock(folder, LOCK_EX) == 0 else {
                throw ChildProcess.Failure(description: "no turn: errno \(errno)")
            }
        }

        func end() { flock(folder, LOCK_UN) }

        deinit { close(folder) }
    }

    /// How many threads of `duet` wait for their turn.
    private func waitingThreads(of duet: Duet) throws -> Int {
        // proc(5): "1: -> FLOCK  ADVISORY  WRITE 1234 …"
        try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count {
            let words = $0.split(separator: " ")
            return words.count > 5 && words[1...2] == ["->", "FLOCK"]
                && words[5] == "\(duet.child.identifier)"
        }
    }

    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = Duet.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    /// Takes the turn, and starts `duet`, which then waits for its own turn.
    private func start(_ arguments: String...) throws -> (turn: Turn, duet: Duet) {
        // jack_property creates the database.
        _ = try server.tool("jack_property", ["-l"])
        let turn = try Turn()
        let duet = try Duet(
            [
                "play", folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
                "--out", "none",
            ] + arguments, streams: .terminal)
        return (turn, duet)
    }

    // The waiting call still refers to a client that has gone with its server.
    @Test func theTurnComesWhenTheClientIsGone() throws {
        let (turn, duet) = try start()
        try duet.wait(for: Events.Ready.self)
        #expect(try poll { try waitingThreads(of: duet) == 1 })
        #expect(try !server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))"))
        server.kill()
        try duet.wait(for: Events.Server.self)
        try server.restart()
        try duet.wait(for: Events.Server.self) { $0.state == "back" }
        #expect(
            try poll { try waitingThreads(of: duet) == 1 },
            "\((try? waitingThreads(of: duet)) ?? -1) threads wait; \(duet.child.output)")
        turn.end()
        // No event tells when duet has had its turn.
        #expect(try poll { try waitingThreads(of: duet) == 0 })
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    // By then the client may be about to be deactivated.
    @Test func whatWasGivenUpIsNotDoneInItsTurn() throws {
        let (turn, duet) = try start("-v")
        try duet.child.waitForOutput("metadata do not answer")
        #expect(try poll { try waitingThreads(of: duet) == 1 })
        turn.end()
        #expect(try poll { try waitingThreads(of: duet) == 0 })
        // The turn is free again only after duet has had it.
        let next = try Turn()
        next.end()
        #expect(try !server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    // libjack closes the database with the last client; a process that ends in between leaves a
    // lock there, at which the next server would hang in its start.
    @Test func theEndWaitsForTheDatabase() throws {
        let closing = try Preload("slow-closing", in: folder)
        let duet = try Duet(
            [
                "play", folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
                "--server-wait", "0",
            ], environment: closing.environment)
        try duet.wait(for: Events.Ready.self)
        try closing.begin()
        server.kill()
        #expect(try duet.child.waitForExit() == .code(69))
        #expect(!closing.holds, "the client was not closed")
    }
}
