import Foundation
import Rig
import Testing

/// Programs that stay connected to the control socket.
/// Not under PipeWire, whose socket is in the folder that the test has for itself.
@Suite(.disabled(if: JackServer.isPipeWire)) struct IdleClientsTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// The one that has been idle for longest is closed; one that has just sent half a line stays.
    @Test func idleConnectionsDoNotKeepAddOut() throws {
        let songs = try ["a.mp3", "b.mp3"].map { try stage.folder.song($0, seconds: 60).path }
        let environment = ["XDG_RUNTIME_DIR": stage.folder.url.path]
        let duet = try stage.start(["play", songs[0]], environment: environment)
        try duet.wait(for: Events.Playing.self)
        let folder = stage.folder.url.appendingPathComponent("duet").path
        let socket = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .first { $0.hasSuffix(".sock") })
        let busy = try LineClient(path: "\(folder)/\(socket)")
        busy.send("get /song")
        let idle = try (0..<12).map { _ in try LineClient(path: "\(folder)/\(socket)") }
        let added = try Duet.run(["add", songs[1]], environment: environment)
        #expect(added.exit == .code(0), "\(added.errors)")
        #expect(added.output == "song 2: \(songs[1])\n")
        #expect(try busy.ask("/volume") == "ok /song/volume 1")
        #expect(try idle[0].line() == nil && idle[11].ask("get /song/volume").hasPrefix("ok"))
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }
}
