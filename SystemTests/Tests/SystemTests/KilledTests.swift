import Foundation
import Rig
import Testing

/// The traces that a killed duet leaves behind.
@Suite(.serialized) struct KilledTests {
    // The server removes the metadata, as it removes the ports. Metadata left by a killed server
    // are not tested here.
    @Test func itsMetadataGoWithIt() throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let client = Duet.clientName()
        let duet = try Duet([
            "play", try folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
            "--out", "none",
        ])
        try duet.wait(for: Events.Ready.self)
        func isDescribed() throws -> Bool {
            try server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))")
        }
        #expect(try isDescribed())
        duet.child.signal(SIGKILL)
        #expect(try duet.child.waitForExit() == .signal(SIGKILL))
        // No event tells when the server has noticed the end of duet.
        #expect(try poll { try !isDescribed() })
    }
}
