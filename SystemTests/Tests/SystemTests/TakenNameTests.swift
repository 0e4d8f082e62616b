import Foundation
import Rig
import Testing

/// Another program has duet's name when the server is back.
@Suite(.disabled(if: JackServer.isPipeWire)) struct TakenNameTests {
    @Test func isWaitedFor() throws {
        // With -v the server logs what each client does.
        let server = try JackServer(options: ["-v"])
        let folder = try TemporaryFolder()
        let client = Duet.clientName()
        let duet = try Duet(
            [
                "play", folder.song(seconds: 60).path, "-s", server.name, "-n", client, "--json",
                "--out", "none",
            ], streams: .terminal)
        try duet.wait(for: Events.Ready.self)
        server.kill()
        try duet.wait(for: Events.Server.self)
        // duet is stopped, so that the other program is in the server before it.
        duet.child.signal(SIGSTOP)
        try server.restart()
        let other = try Witness(
            ["--name", client, "--play", "/dev/null", "--frames", "128", "--wait"], server: server)
        duet.child.signal(SIGCONT)
        func said(_ pattern: String) throws -> Int {
            try String(contentsOf: server.log, encoding: .utf8).matches(of: Regex(pattern)).count
        }
        // duet opens a client, sees that the name is taken, and closes the client.
        let visit = "ClientExternalOpen: .* name = \(client)-"
        #expect(try poll { try said(visit) >= 2 })
        // The other program's ports are logged; duet's tries made no port for a patchbay to show.
        #expect(try said("PortRegister .* name = \(client):") > 0)
        #expect(try said("PortRegister .* name = \(client)-") == 0)
        try other.begin()
        _ = try other.finish()
        try duet.wait(for: Events.Server.self) { $0.state == "back" }
        let ports = try server.tool("jack_lsp", [])
        #expect(ports.contains("\(client):out_left\n") && !ports.contains("\(client)-"))
        // While duet waits for its name there is no warning.
        #expect(!duet.child.output.contains("is not back yet"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}
