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

        /// Its dummy driver has one period in and, as it does not wait for its clients, two out.
        private static func server(period: Int = 128) throws -> JackServer {
            try JackServer(waitsForClients: false, period: period)
        }

        @Test func portsReportTheWayThroughUs() throws {
            let server = try Self.server()
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

        /// Delays one channel by 480 frames, in the ring of 481 samples at `context`, whose first
        /// float is the place of the next one.
        private static let delay: RenderCallback = { context, flags, _, _, _, count, _, buffers in
            let ring = context!.assumingMemoryBound(to: Float.self)
            for n in 0..<Int(count) {
                let place = Int(ring[0])
                (buffers![0]![n], ring[1 + place]) = (ring[1 + place], buffers![0]![n])
                ring[0] = Float((place + 1) % 480)
            }
            flags!.pointee &= ~RenderFlags.isSilent
            return 0
        }

        /// A unit that delays the microphone is told to JACK, and what is told is measured.
        @Test func whatTheGraphAddsIsReported() throws {
            let server = try Self.server()
            let live = try LiveClient(server, .init(name: "duet"))
            let (graph, mixer) = (live.monitor.graph, live.monitor.mixer)
            mixer.inputs[1].pan = .left
            #expect(waits(live, 128, 256))
            let ring = UnsafeMutablePointer<Float>.allocate(capacity: 481)
            defer {
                live.client.close()
                ring.deallocate()
            }
            ring.initialize(repeating: 0, count: 481)
            let effect = CallbackEffect(latency: 480, context: ring, Self.delay)
            try graph.edit {
                try graph.add(effect)
                graph.disconnect(mixer, bus: 1)
                try graph.connect(live.monitor.io, bus: 1, to: effect)
                try graph.connect(effect, to: mixer, bus: 1)
            }
            #expect(
                live.wait {
                    guard case .latency(let latency) = $0 else { return false }
                    return latency.graph == LatencyRange(minimum: 480, maximum: 480)
                        && latency.roundTripFrames == 128 + 480 + 256
                })
            #expect(try ranges("duet:out_left", server)["capture"] == [608, 608])
            #expect(try ranges("duet:mic", server)["playback"] == [736, 736])
            #expect(live.waitForFrames(live.client.sampleRate + 1024))
            _ = try server.tool("jack_disconnect", ["system:capture_1", "duet:mic"])
            _ = try server.tool("jack_disconnect", ["duet:out_left", "system:playback_1"])
            let measured = try IODelay.measure("duet:mic", "duet:out_left", server)
            #expect(abs(measured - 128 - 480) < 0.01)
            effect.isBypassed = true
            graph.collect()
            #expect(
                live.wait { if case .latency(let l) = $0 { l.graph == .zero } else { false } })
        }

        @Test func measuredDelayIsThatOfAWire() throws {
            let server = try Self.server(period: 1024)
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
            let server = try Self.server()
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
            let server = try Self.server()
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
            let server = try Self.server()
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
