import AudioGraph
import JackIO
import TestSupport
import Testing

extension LiveTests {
    @Suite(.serialized) struct ConnectionTests {
        /// Where a port leads, by another program.
        private func peers(_ port: String, _ server: JackServer) throws -> [String] {
            let listed = try server.tool("jack_lsp", ["-c", port])
            return listed.split(separator: "\n").filter { $0.hasPrefix(" ") }
                .map { String($0.drop { $0 == " " }) }
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func automaticConnectsPhysicalPorts() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init())
            #expect(try peers("duet:mic", server) == ["system:capture_1"])
            #expect(try peers("duet:out_left", server) == ["system:playback_1"])
            #expect(try peers("duet:out_right", server) == ["system:playback_2"])
            #expect(
                live.wait { $0 == .connected(from: "duet:out_right", to: "system:playback_2") })
            #expect(live.warnings() == [])
            _ = try server.tool("jack_disconnect", ["duet:mic", "system:capture_1"])
            #expect(live.wait { $0 == .disconnected(from: "system:capture_1", to: "duet:mic") })
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func aliasesMatch() throws {
            let server = try JackServer()
            let live = try LiveClient(
                server,
                .init(
                    microphone: .one(try PortPattern(pattern: "dummy_pcm:dummy:out2")),
                    outputs: .two(
                        try PortPattern(pattern: "playback_2"),
                        try PortPattern(pattern: "playback_1"))))
            #expect(try peers("duet:mic", server) == ["system:capture_2"])
            #expect(try peers("duet:out_left", server) == ["system:playback_2"])
            #expect(try peers("duet:out_right", server) == ["system:playback_1"])
            #expect(live.warnings() == [])
        }

        @Test func portThatComesLaterIsConnected() throws {
            let server = try JackServer()
            let live = try LiveClient(
                server,
                .init(
                    microphone: .one(try PortPattern(pattern: "^singer:")),
                    outputs: .one(try PortPattern(pattern: "^singer:in"))))
            #expect(live.warnings().count == 2)
            let singer = try Witness(
                ["--name", "singer", "--noise", "1", "--wait"], server: server, record: 2)
            #expect(live.wait { $0 == .connected(from: "singer:out_1", to: "duet:mic") })
            #expect(try peers("duet:mic", server) == ["singer:out_1"])
            // Its ports come one by one: the second takes the right side from the first.
            #expect(
                live.events.contains(.connected(from: "duet:out_right", to: "singer:in_2"))
                    || live.wait { $0 == .connected(from: "duet:out_right", to: "singer:in_2") })
            #expect(try peers("duet:out_left", server) == ["singer:in_1"])
            #expect(try peers("duet:out_right", server) == ["singer:in_2"])
            try singer.begin()
            _ = try singer.finish()
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func failedConnectionIsAWarning() throws {
            // The server refuses what clients connect of their own.
            let server = try JackServer(options: ["-a", "A"])
            let live = try LiveClient(server, .init())
            let warnings = live.warnings()
            #expect(warnings.count == 3)
            #expect(warnings.allSatisfy { $0.contains("failed") })
            #expect(try peers("duet:mic", server) == [])
            #expect(live.waitForFrames(1000))
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func withoutCaptureTheWarningNamesOthers()
            throws
        {
            let server = try JackServer(driverOptions: ["-C", "0"])
            let singer = try Witness(
                ["--name", "singer", "--noise", "1", "--wait"], server: server)
            let live = try LiveClient(server, .init())
            let warnings = live.warnings()
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("singer:out_1") == true)
            #expect(try peers("duet:mic", server) == [])
            try singer.begin()
            _ = try singer.finish()
        }
    }
}
