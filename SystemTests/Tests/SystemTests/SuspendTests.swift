import Foundation
import Rig
import Testing

/// Ctrl-Z: duet leaves JACK's graph before it is stopped, and comes back as it was.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct SuspendTests {
    private let folder: TemporaryFolder
    private let client = Duet.clientName()

    init() throws { folder = try TemporaryFolder() }

    private func start(
        _ command: [String], server: JackServer, environment: [String: String?] = [:]
    ) throws -> Duet {
        let duet = try Duet(
            inShell: command + ["-s", server.name, "-n", client, "--json"],
            environment: environment)
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    private func suspend(_ duet: Duet) throws {
        let before = duet.child.output.matches(of: /Stopped/).count
        duet.child.type("\u{1A}")
        try duet.child.waitForOutput { $0.matches(of: /Stopped/).count > before }
        #expect(duet.child.terminalIsCooked)
    }

    private func resume(_ duet: Duet) { duet.child.type("\n") }

    // Frames are compared only where the server waits for its clients: otherwise, on a busy
    // machine, it leaves clients out of some cycles.
    @Test(arguments: [true, false]) func othersPlayOnMeanwhile(waitsForClients: Bool) throws {
        let server = try JackServer(waitsForClients: waitsForClients, period: 1024)
        let song = try NoiseSong(in: folder, seconds: 60)
        let duet = try start(["play", song.path, "--no-replay-gain"], server: server)
        let recorder = try Witness(recording: 2_880_000, of: client, server: server)
        let wires = try server.connections()
        #expect(wires.count == 8)
        try duet.waitForNext(Events.Position.self)
        try suspend(duet)
        // The server must not wait for the stopped duet. jackd tells each client of those that
        // come and go, and would wait once that socket is full, after about 17 visits.
        for _ in 0..<30 {
            #expect(try !server.tool("jack_lsp", [], patience: 5).contains(client))
        }
        let other = try Witness(
            ["--name", Duet.clientName(), "--frames", "4800"], server: server, record: 1)
        #expect(try other.finish().periods.count >= 4)
        try duet.wait(for: Events.Position.self, after: { resume(duet) })
        #expect(try poll { try server.connections() == wires })
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        let recording = try recorder.stop()
        if waitsForClients { try song.expectAbsence(recording) }
        // duet was away for a moment only.
        #expect(try duet.first(Events.Server.self) == nil && duet.first(Events.Warning.self) == nil)
        try duet.quit()
    }

    @Test func theServerGoesMeanwhile() throws {
        let server = try JackServer(period: 1024)
        let song = try NoiseSong(in: folder, seconds: 60)
        let duet = try start(["play", song.path, "--no-replay-gain"], server: server)
        try suspend(duet)
        server.kill()
        resume(duet)
        try duet.wait(for: Events.Server.self)
        #expect(try duet.first(Events.Server.self)?.state == "lost")
        // duet is suspended again while it waits for the server.
        try suspend(duet)
        try server.restart(rate: 44_100)
        try duet.wait(for: Events.Server.self, after: { resume(duet) }) { $0.state == "back" }
        let back = try duet.all(Events.Server.self).last
        #expect(back?.rate == 44_100)
        try duet.waitForNext(Events.Position.self)
        try duet.quit()
    }

    @Test func theDemosVoiceGoesAlong() throws {
        let server = try JackServer(period: 1024)
        let duet = try start(["demo"], server: server)
        let wires = try server.connections()
        #expect(wires.contains { $0.contains("\(client)-voice") })
        try suspend(duet)
        #expect(try !server.tool("jack_lsp", []).contains(client))
        try duet.wait(for: Events.Position.self, after: { resume(duet) })
        #expect(try poll { try server.connections() == wires })
        try duet.quit()
    }

    @Test func theDemoFollowsAnotherRate() throws {
        let server = try JackServer(period: 1024)
        let duet = try start(["demo"], server: server)
        let wires = try server.connections()
        try suspend(duet)
        server.stop()
        try server.restart(rate: 44_100)
        try duet.wait(for: Events.Rate.self, after: { resume(duet) })
        #expect(try duet.first(Events.Rate.self)?.rate == 44_100)
        #expect(try poll { try server.connections() == wires })
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        try duet.quit()
    }

    /// No other client may render a graph that a cycle is still inside.
    @Test func aCycleThatDoesNotEndIsTheEnd() throws {
        let server = try JackServer(period: 1024)
        let cycle = try Preload("hold-cycle", in: folder)
        let song = try folder.song(seconds: 60).path
        let duet = try start(["play", song], server: server, environment: cycle.environment)
        try cycle.begin()
        #expect(poll { cycle.holds })
        duet.child.type("\u{1A}")
        let message = try duet.wait(for: Events.Failure.self).message
        #expect(message == "a cycle of the JACK server does not end")
        #expect(try duet.child.waitForExit() == .code(69))
    }
}
