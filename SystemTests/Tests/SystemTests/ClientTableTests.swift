import Foundation
import Rig
import Testing

/// Another client leaves while duet's client is being opened. libjack misses that, and takes the
/// next client for the one that left; the next client, a recorder here, must be woken all the same.
///
/// duet comes back three times; with `DUET_LONG_TESTS=1` two hundred times.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ClientTableTests {
    private static let returns = LongTests.areRun ? 200 : 3

    private let stage: Stage
    private let opening: Preload

    init() throws {
        stage = try Stage()
        opening = try Preload("hold-opening", in: stage.folder)
    }

    /// Makes another client leave while duet's client is opened, which `action` causes.
    private func leave(during action: () throws -> Void) throws {
        let name = Duet.clientName()
        let leaver = try Program(
            "jack-witness",
            ["--server", stage.server.name, "--name", name, "--record", "1", "--hold"])
        _ = try #require(leaver.line(after: "registered"))
        let memory = "/dev/shm/jack_sem.\(getuid())_\(stage.server.name)_\(name)"
        #expect(access(memory, F_OK) == 0)
        try opening.begin()
        try action()
        #expect(poll { opening.holds })
        leaver.kill(SIGKILL)
        // By then the server has told all clients that it left.
        #expect(poll { access(memory, F_OK) != 0 })
        opening.release()
    }

    /// A recorder that gives up after 20 s.
    private func expectThatTheNextIsWoken() throws {
        let recorder = try Program(
            "/usr/bin/timeout",
            [
                "20", Program.path(of: "jack-witness"), "--server", stage.server.name, "--name",
                Duet.clientName(), "--record", "2", "--frames", "4800", "--out",
                stage.path("heard"), "--connect-from",
                "\(stage.client):out_left:0", "--connect-from", "\(stage.client):out_right:1",
            ])
        #expect(recorder.line(after: "done") != nil, "the recorder was not woken")
        #expect(recorder.waitForEnd() == 0)
    }

    @Test func theNextClientIsWoken() throws {
        let song = try stage.folder.song(seconds: 60).path
        var started: Duet?
        try leave {
            started = try stage.start(["play", song, "--loop"], environment: opening.environment)
        }
        let duet = try #require(started)
        try duet.wait(for: Events.Playing.self)
        try expectThatTheNextIsWoken()
        for _ in 0..<Self.returns {
            try duet.wait(for: Events.Server.self, after: { stage.server.kill() }) {
                $0.state == "lost"
            }
            // duet is stopped, so that the other client is in the server before it.
            duet.child.signal(SIGSTOP)
            try stage.server.restart()
            try duet.wait(
                for: Events.Server.self,
                after: {
                    try leave { duet.child.signal(SIGCONT) }
                }
            ) { $0.state == "back" }
            try expectThatTheNextIsWoken()
        }
        try duet.quit()
    }
}
