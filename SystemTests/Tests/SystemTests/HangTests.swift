import Foundation
import Rig
import Testing

/// A JACK server that runs and does not answer, as it is while it is stopped.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire, "the user's is not stopped"))
final class HangTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let song: String

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
        song = try folder.song(seconds: 60).path
    }

    // A stopped server could not be ended, so it goes on first.
    deinit { server.resume() }

    @Test(arguments: ["sing", "play", "demo"]) func isNamedAtTheStart(command: String) throws {
        server.suspend()
        let songs = command == "demo" ? [] : [song]
        let duet = try Duet.run([command] + songs + ["-s", server.name, "--plain"])
        #expect(duet.exit == .code(69))
        #expect(duet.complaint.count == 1)
        let complaint = duet.complaint.first ?? ""
        #expect(complaint.contains("'\(server.name)' is not responding"))
        #expect(complaint.contains("killall -KILL"))
    }

    /// jackd refuses a client that does not answer it for 2 s; duet asks once more.
    @Test func aProgramThatIsHeldUpWhileItStarts() throws {
        let answering = try Preload("hold-accept", in: folder)
        try answering.begin()
        let duet = try Duet(
            ["play", song, "-s", server.name, "--json"], environment: answering.environment,
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        #expect(answering.holds)
        #expect(
            try String(contentsOf: server.log, encoding: .utf8).contains("Cannot notify add client")
        )
        try duet.quit()
    }

    @Test func isNamedByTheDoctor() throws {
        server.suspend()
        let duet = try Duet.run(["doctor", "-s", server.name])
        #expect(duet.exit == .code(1))
        #expect(duet.output.hasPrefix("no   JACK server: "))
        #expect(duet.output.contains("is not responding"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func theFirstSignalEndsTheWait(signal: Int32) throws {
        server.suspend()
        let duet = try Duet(["play", song, "-s", server.name])
        // Waits for the thread that is inside libjack. Files are read on such threads, too, but
        // before signals are handled.
        let process = "/proc/\(duet.child.identifier)"
        #expect(
            try poll {
                let status = try String(contentsOfFile: process + "/status", encoding: .utf8)
                let mask = status.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/)
                return mask.flatMap { UInt64($0.1, radix: 16) }.map { $0 >> (signal - 1) & 1 == 1 }
                    ?? false
            })
        let tasks = process + "/task"
        #expect(
            try poll {
                try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
                    let name = try? String(
                        contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)
                    return name == "bounded-call\n"
                }
            })
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit(limit: 3) == .code(0))
        #expect(duet.complaint.isEmpty && duet.child.output.isEmpty)
    }

    @Test func isNamedWhenItGoesOn() throws {
        let duet = try Duet(
            ["play", song, "-s", server.name, "-n", Duet.clientName(), "--json"],
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        server.suspend()
        try duet.wait(for: Events.Warning.self) { $0.message.contains("not responding") }
        server.resume()
        try duet.wait(for: Events.Warning.self) { $0.message.contains("responds again") }
        #expect(try duet.all(Events.Warning.self).count == 2)
        #expect(try duet.first(Events.Server.self) == nil)
        // Ending duet does not wait for the server either.
        server.suspend()
        try duet.quit()
    }

    /// duet waits for some cycles to fade out before it leaves, but not for cycles of 4 s.
    @Test func longCyclesDoNotHoldTheEndUp() throws {
        let slow = try JackServer(period: 16, rate: 1000)
        // The server itself would need minutes to end with cycles of that length.
        defer { slow.kill() }
        let duet = try Duet(
            ["play", song, "-s", slow.name, "-n", Duet.clientName(), "--json"],
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        _ = try slow.tool("jack_bufsize", ["4096"])
        try duet.wait(for: Events.Period.self)
        slow.suspend()
        duet.child.type("q")
        #expect(try duet.child.waitForExit(limit: 10) == .code(0))
    }
}
