import AudioGraph
import Glibc
import JackIO
import TestSupport
import Testing

extension LiveTests {
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LatencyTests {
        /// What jack_lsp says of a port: capture and playback, each minimum and maximum. jack_lsp
        /// is run again while it prints only half: as a new client it may not see all ports at
        /// first.
        private func ranges(_ port: String, _ server: JackServer) throws -> [String: [Int]] {
            var ranges: [String: [Int]] = [:]
            for _ in 0..<10 where ranges.count < 2 {
                for line in try server.tool("jack_lsp", ["-l", port]).split(separator: "\n") {
                    let words = line.split { " \t[]".contains($0) }
                    guard words.count >= 6, words[0] == "port" else { continue }
                    ranges[String(words[1])] = [Int(words[4])!, Int(words[5])!]
                }
            }
            return ranges
        }

        @Test func portsReportTheWayThroughUs() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init(name: "duet"))
            let expected = try live.client.report().roundTrip
            #expect(live.wait { if case .latency(let l) = $0 { l == expected } else { false } })
            let capture = try #require(try ranges("system:capture_1", server)["capture"])
            let playback = try #require(try ranges("system:playback_1", server)["playback"])
            #expect(capture[0] > 0 && playback[0] > 0)
            #expect(try ranges("duet:out_left", server)["capture"] == capture)
            #expect(try ranges("duet:out_right", server)["capture"] == capture)
            #expect(try ranges("duet:mic", server)["playback"] == playback)
            let latency = live.client.latency
            #expect(latency.capture.maximum == capture[1])
            #expect(latency.playback.maximum == playback[1])
            #expect(latency.roundTripFrames == capture[1] + playback[1])
            #expect(latency.milliseconds == Double(latency.roundTripFrames) / 48)
        }

        @Test func measuredDelayIsThatOfAWire() throws {
            let server = try JackServer(period: 1024)
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].pan = .left
            let wire = try Witness(["--name", "wire", "--pass", "1", "--wait"], server: server)
            let ofWire = try IODelay.measure("wire:in_1", "wire:out_1", server)
            #expect(live.waitForFrames(live.client.sampleRate + 1024))
            let ofUs = try IODelay.measure("duet:mic", "duet:out_left", server)
            #expect(abs(ofWire - 1024) < 0.01 && abs(ofUs - 1024) < 0.01)
            try wire.begin()
            _ = try wire.finish()
        }

        @Test func outputsOfAMixWithoutAMicrophoneReportTheirOwn() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init(name: "duet", microphoneChannels: 0))
            #expect(live.wait { if case .latency = $0 { true } else { false } })
            #expect(try ranges("duet:out_left", server)["capture"] == [0, 0])
            #expect(live.client.latency.capture == .zero)
        }

        /// Waits until JACK reports the latencies `capture` and `playback` to the client.
        private func waits(_ live: LiveClient, _ capture: Int, _ playback: Int) -> Bool {
            live.wait { event in
                guard case .latency(let latency) = event else { return false }
                return latency.capture.maximum == capture
                    && latency.playback.maximum == playback
            }
        }

        // Changes the period, the connections and the latency of a connected client. Each change
        // must come as an event, and must be set on our ports for other programs.
        @Test func everyChangeIsFollowed() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init(name: "duet"))
            #expect(waits(live, 128, 256))
            _ = try server.tool("jack_bufsize", ["256"])
            #expect(waits(live, 256, 512))
            #expect(try ranges("duet:out_left", server)["capture"] == [256, 256])
            #expect(try ranges("duet:mic", server)["playback"] == [512, 512])
            for port in ["left", "right"] {
                _ = try server.tool("jack_disconnect", ["duet:out_\(port)", "system:playback_1"])
                _ = try server.tool("jack_disconnect", ["duet:out_\(port)", "system:playback_2"])
            }
            #expect(waits(live, 256, 0))
            #expect(try ranges("duet:mic", server)["playback"] == [0, 0])
            // A client with a latency of its own, between us and the ear.
            let latent = try latent(server)
            _ = try server.tool("jack_connect", ["duet:out_left", "latent:input"])
            let through = try #require(try ranges("latent:input", server)["playback"])
            #expect(through[1] > 512)
            #expect(waits(live, 256, through[1]))
            #expect(try ranges("duet:mic", server)["playback"] == through)
            latent.kill(SIGTERM)
        }

        /// A client with a latency of its own, connected to `system:playback_1`.
        private func latent(_ server: JackServer) throws -> Program {
            let latent = try Program(
                "/usr/bin/stdbuf", ["-oL", "jack_latent_client", "latent", "100"],
                environment: ["JACK_DEFAULT_SERVER": server.name])
            #expect(try poll { try !server.tool("jack_lsp", ["latent:"]).isEmpty })
            _ = try server.tool("jack_connect", ["latent:output", "system:playback_1"])
            return latent
        }

        // Either output may have the longer way.
        @Test(arguments: [("duet:out_left", "duet:out_right"), ("duet:out_right", "duet:out_left")])
        func outputsThatDifferAreARange(short: String, long: String) throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            let latent = try latent(server)
            _ = try server.tool("jack_connect", [short, "system:playback_2"])
            #expect(waits(live, 0, 256))
            _ = try server.tool("jack_connect", [long, "latent:input"])
            let through = try #require(try ranges("latent:input", server)["playback"])
            #expect(through[0] > 256)
            #expect(waits(live, 0, through[1]))
            #expect(live.client.latency.playback.minimum == 256, "\(through)")
            latent.kill(SIGTERM)
        }
    }
}
