import AudioGraph
import Glibc
import JackIO
import TestSupport
import Testing

extension LiveTests {
    @Suite(.serialized) struct ConnectionTests {
        /// The ports that a port is connected to, as another program sees it.
        private func peers(_ port: String, _ server: JackServer) throws -> [String] {
            let listed = try server.tool("jack_lsp", ["-c", port])
            return listed.split(separator: "\n").filter { $0.hasPrefix(" ") }
                .map { String($0.drop { $0 == " " }) }
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func automaticConnectsPhysicalPorts() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init(name: "duet"))
            #expect(try peers("duet:mic", server) == ["system:capture_1"])
            #expect(try peers("duet:out_left", server) == ["system:playback_1"])
            #expect(try peers("duet:out_right", server) == ["system:playback_2"])
            #expect(
                live.wait {
                    $0 == .connected(from: "duet:out_right", to: "system:playback_2", isOurs: true)
                })
            #expect(live.warnings() == [])
            _ = try server.tool("jack_disconnect", ["duet:mic", "system:capture_1"])
            #expect(
                live.wait {
                    $0 == .disconnected(from: "system:capture_1", to: "duet:mic", isOurs: true)
                })
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func aliasesMatch() throws {
            let server = try JackServer()
            let live = try LiveClient(
                server,
                .init(
                    name: "duet",
                    microphone: .one(try PortPattern(pattern: "dummy_pcm:dummy:out2")),
                    outputs: .each([
                        try PortPattern(pattern: "playback_2"),
                        try PortPattern(pattern: "playback_[12]"),
                    ])))
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
                    name: "duet", microphone: .one(try PortPattern(pattern: "^singer:")),
                    outputs: .one(try PortPattern(pattern: "^singer:in"))))
            #expect(live.warnings().count == 2)
            let singer = try Witness(
                ["--name", "singer", "--noise", "1", "--wait"], server: server, record: 2)
            #expect(
                live.wait { $0 == .connected(from: "singer:out_1", to: "duet:mic", isOurs: true) })
            #expect(try peers("duet:mic", server) == ["singer:out_1"])
            // The program’s ports come one by one: its first port gets both outputs, until its
            // second port comes and takes the right one.
            #expect(
                live.events.contains(
                    .connected(from: "duet:out_right", to: "singer:in_2", isOurs: true))
                    || live.wait {
                        $0 == .connected(from: "duet:out_right", to: "singer:in_2", isOurs: true)
                    })
            #expect(try peers("duet:out_left", server) == ["singer:in_1"])
            #expect(try peers("duet:out_right", server) == ["singer:in_2"])
            try singer.begin()
            _ = try singer.finish()
        }

        // jackd(1), -a: with e and a the server reports success, but connects nothing.
        @Test(.disabled(if: JackServer.isPipeWire), arguments: ["E", "e", "A", "a"])
        func refusedConnectionIsAWarning(mode: String) throws {
            let server = try JackServer(options: ["-a", mode])
            let live = try LiveClient(server, .init(name: "duet"))
            var told: [String] = []
            live.wait {
                if case .warning(let warning) = $0, "\(warning)".contains("jackd -a") {
                    told.append("\(warning)")
                }
                return told.count == 3
            }
            #expect(
                told.allSatisfy { $0.contains(mode < "a" ? "cannot connect" : "could not connect") }
            )
            for port in ["duet:mic", "duet:out_left", "duet:out_right"] {
                #expect(told.filter { $0.contains(port) }.count == 1, "\(port)")
                #expect(try peers(port, server) == [])
            }
            #expect(live.waitForFrames(1000))
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func unrestrictedConnectionsAreNotRefused()
            throws
        {
            let server = try JackServer(options: ["-a", " "])
            let live = try LiveClient(server, .init(name: "duet"))
            // Longer than the time after which an ignored connection is a warning.
            #expect(live.waitForFrames(live.client.sampleRate))
            #expect(live.warnings() == [])
            #expect(try peers("duet:mic", server) == ["system:capture_1"])
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func portsAreTriedInTheirOrder() throws {
            let server = try JackServer(driverOptions: ["-C", "3", "-P", "3"])
            let order = "http://jackaudio.org/metadata/order"
            let places = [
                ("capture_1", "2"), ("capture_2", "0"), ("capture_3", "1"), ("playback_1", "5"),
                ("playback_2", "1"), ("playback_3", "0"),
            ]
            // All servers of a user share one table, and their ports have the same numbers in it: a
            // server that is just ending may take out what is put in here.
            var tries = 0
            repeat {
                for (port, place) in places {
                    _ = try server.tool(
                        "jack_property",
                        [
                            "-p", "-s", "system:\(port)", order, place,
                            "http://www.w3.org/2001/XMLSchema#int",
                        ])
                }
                tries += 1
            } while try tries < 10
                && server.tool("jack_property", ["-l"]).ranges(of: order).count < places.count
            let live = try LiveClient(server, .init(name: "duet"))
            #expect(try peers("duet:mic", server) == ["system:capture_2"])
            #expect(try peers("duet:out_left", server) == ["system:playback_3"])
            #expect(try peers("duet:out_right", server) == ["system:playback_2"])
            #expect(live.client.close())
            let patterns = try LiveClient(
                server,
                .init(
                    name: "duet", microphone: .one(try PortPattern(pattern: "capture_")),
                    outputs: .one(try PortPattern(pattern: "playback_[12]"))))
            #expect(try peers("duet:mic", server) == ["system:capture_2"])
            #expect(try peers("duet:out_left", server) == ["system:playback_2"])
            #expect(try peers("duet:out_right", server) == ["system:playback_1"])
            #expect(patterns.client.close())
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func programsAndMIDIPortsAreNotTaken() throws {
            let server = try JackServer(driverOptions: ["-P", "0", "-C", "0"])
            let midi = try Program(
                "/usr/bin/jack_midiseq", ["midi", "10000", "0", "60", "5000"],
                environment: ["JACK_DEFAULT_SERVER": server.name])
            let dump = try Program(
                "/usr/bin/jack_midi_dump", [], environment: ["JACK_DEFAULT_SERVER": server.name])
            // No event tells that the ports are there, so the list of ports is polled.
            #expect(
                try poll { try server.tool("jack_lsp", []).split(separator: "\n").count >= 2 })
            let recorder = try Witness(
                ["--name", "recorder", "--wait", "--noise", "1"], server: server, record: 2)
            let automatic = try LiveClient(server, .init(name: "duet"))
            #expect(automatic.warnings().count == 2)
            let anything = try LiveClient(
                server,
                .init(
                    name: "eager", microphone: .one(try PortPattern(pattern: "midi")),
                    outputs: .one(try PortPattern(pattern: "midi"))))
            #expect(anything.warnings().count == 2)
            for client in ["duet", "eager"] {
                for port in ["mic", "out_left", "out_right"] {
                    #expect(try peers("\(client):\(port)", server) == [], "\(client):\(port)")
                }
            }
            for program in [midi, dump] { program.kill(SIGTERM) }
            try recorder.begin()
            _ = try recorder.finish()
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func withoutCaptureTheWarningNamesOthers()
            throws
        {
            let server = try JackServer(driverOptions: ["-C", "0"])
            let singer = try Witness(
                ["--name", "singer", "--noise", "1", "--wait"], server: server)
            let live = try LiveClient(server, .init(name: "duet"))
            let warnings = live.warnings()
            #expect(warnings.count == 1)
            guard case .noPhysicalPort(.microphone(1), let candidates)? = warnings.first else {
                Issue.record("no warning")
                return
            }
            #expect(candidates.contains("singer:out_1"))
            #expect(try peers("duet:mic", server) == [])
            try singer.begin()
            _ = try singer.finish()
        }
    }
}
