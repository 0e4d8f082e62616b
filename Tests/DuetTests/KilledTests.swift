import Foundation
import TestSupport
import Testing

/// What stays of a program that was killed.
@Suite(.serialized) struct KilledTests {
    // The server takes it away, as it takes the ports; what a killed server leaves is its own.
    @Test func itsMetadataGoWithIt() throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let client = DuetProgram.clientName()
        let duet = try DuetProgram([
            "play", try folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
            "--out", "none",
        ])
        try duet.waitForEvent("ready")
        func isDescribed() throws -> Bool {
            try server.tool("jack_property", ["-l"]).contains("value: Duet (\(client))")
        }
        #expect(try isDescribed())
        duet.child.signal(SIGKILL)
        #expect(try duet.child.waitForExit() == .signal(SIGKILL))
        // Nothing tells when the server has noticed.
        #expect(try poll { try !isDescribed() })
    }
}
