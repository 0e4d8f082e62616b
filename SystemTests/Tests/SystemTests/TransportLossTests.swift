import Foundation
import Rig
import Testing

/// The server dies while duet leads its transport.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire, "a server is killed"))
struct TransportLossTests {
    private let stage: Stage
    private let song: NoiseSong

    init() throws {
        stage = try Stage()
        song = try NoiseSong(in: stage.folder, seconds: 30)
    }

    private func record(seconds: Int) throws -> Witness {
        try Witness(recording: seconds * 48_000, of: stage.client, server: stage.server)
    }

    @Test(arguments: [48_000, 44_100])
    func theLeaderComesBackWhereItWas(rate: Int) throws {
        let duet = try stage.start([
            "play", song.path, "--transport", "lead", "--start-at", "3", "--no-replay-gain",
        ])
        func position() throws -> Double {
            try duet.all(Events.Position.self).last?.seconds ?? -1
        }
        try duet.wait(for: Events.Playing.self)
        try duet.waitForNext(Events.Position.self)
        try duet.wait(for: Events.Server.self, after: { stage.server.kill() })
        let place = try position()
        try duet.wait(for: Events.Server.self, after: { try stage.server.restart(rate: rate) })
        // By then duet has faded in.
        try duet.waitForNext(Events.Position.self)
        let recorder = try record(seconds: 1)
        try duet.waitForNext(Events.Position.self)
        let now = try position()
        #expect((place...(place + 15)).contains(now), "\(place), then \(now)")
        let heard = try recorder.finish()
        if rate == 48_000 {
            #expect(try song.expectTransport(heard).late == 0)
        } else {
            #expect(heard.periods.last?.transport ?? 0 >= Int(place * Double(rate)))
        }
        #expect(heard.periods.allSatisfy { $0.transport != nil })
        // When duet was paused by a key while the server was away, or by another program before, it
        // comes back paused.
        if rate == 48_000 {
            try duet.wait(for: Events.Server.self, after: { stage.server.kill() })
            duet.child.type(" ")
            try duet.waitForNext(Events.Position.self)
        } else {
            try duet.wait(
                for: Events.Paused.self,
                after: {
                    _ = try Program(
                        "/usr/bin/bash", ["-c", "echo stop | jack_transport"],
                        environment: ["JACK_DEFAULT_SERVER": stage.server.name]
                    ).waitForEnd()
                })
            try duet.wait(for: Events.Server.self, after: { stage.server.kill() })
        }
        try duet.wait(for: Events.Server.self, after: { try stage.server.restart() })
        try duet.waitForNext(Events.Position.self)
        let after = try record(seconds: 1).finish()
        #expect(after.periods.allSatisfy { $0.transport == nil })
        try duet.quit()
    }
}
