import Foundation
import Rig
import Testing

/// A session beside PipeWire, where the program restarts itself to use PipeWire's libjack.
@Suite(.disabled(if: JackServer.isPipeWire, "it starts a PipeWire of its own"))
struct SessionPipeWireTests {
    /// The program announces itself once: a second announcement would count as another program.
    @Test func itIsJoinedOnce() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song("one.mp3", seconds: 5).path
        let client = Duet.clientName()
        let path = folder.url.appendingPathComponent(client).path
        let manager = try SessionServer(
            .open(path: path, displayName: "evening", clientID: client))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../scripts/pipewire-headless").standardizedFileURL.path
        let duet = try Program(
            script,
            [
                Duet.path, "play", song, "--json", "--duration", "1", "-s",
                Duet.clientName(),
            ], environment: ["NSM_URL": manager.url])
        #expect(manager.next()?.path == "/nsm/server/announce")
        #expect(manager.next()?.path == "/reply")
        _ = duet.line(after: "the end")
        let lines = duet.lines
        #expect(duet.waitForEnd() == 0)
        let ready = lines.first { $0.contains("\"ready\"") }
        #expect(ready?.contains("\"\(client)\"") == true)
        #expect(lines.count { $0.contains("restarting with its JACK library") } == 1)
        #expect(manager.violations.isEmpty, "\(manager.violations)")
    }
}
