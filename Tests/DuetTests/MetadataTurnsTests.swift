import Foundation
import TestSupport
import Testing

/// Somebody stays in JACK's metadata: duet waits for its turn, but not for long.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MetadataTurnsTests {
    /// The turn, as a client of duet that stays in the database would hold it.
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
    private func waitingThreads(of duet: DuetProgram) throws -> Int {
        // proc(5): "1: -> FLOCK  ADVISORY  WRITE 1234 …"
        try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count {
            let words = $0.split(separator: " ")
            return words.count > 5 && words[1...2] == ["->", "FLOCK"]
                && words[5] == "\(duet.child.identifier)"
        }
    }

    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    /// Takes the turn, and starts `duet`, which waits for its own then.
    private func start(_ arguments: String...) throws -> (turn: Turn, duet: DuetProgram) {
        // Makes the database.
        _ = try server.tool("jack_property", ["-l"])
        let turn = try Turn()
        let duet = try DuetProgram(
            [
                "play", folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
                "--out", "none",
            ] + arguments, streams: .terminal)
        return (turn, duet)
    }

    // What waits there still knows the client that went with its server.
    @Test func theTurnComesWhenTheClientIsGone() throws {
        let (turn, duet) = try start()
        try duet.waitForEvent("ready")
        #expect(try poll { try waitingThreads(of: duet) == 1 })
        #expect(try !server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))"))
        server.kill()
        try duet.waitForEvent("server")
        try server.restart()
        try duet.waitFor { $0.contains { $0["state"] as? String == "back" } }
        #expect(try poll { try waitingThreads(of: duet) == 1 })
        turn.end()
        // Nothing tells when it has had its turn.
        #expect(try poll { try waitingThreads(of: duet) == 0 })
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    // Its client may be about to be deactivated by then.
    @Test func whatWasGivenUpIsNotDoneInItsTurn() throws {
        let (turn, duet) = try start("-v")
        try duet.child.waitForOutput("metadata do not answer")
        #expect(try poll { try waitingThreads(of: duet) == 1 })
        turn.end()
        #expect(try poll { try waitingThreads(of: duet) == 0 })
        // After its turn.
        let next = try Turn()
        next.end()
        #expect(try !server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}
