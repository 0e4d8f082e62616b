import AudioGraph
import Glibc
import JackIO
import TestSupport
import Testing

extension LiveTests {
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LatencyTests {
        /// What jack_lsp says of a port: capture and playback, each minimum and maximum. Asked
        /// again while it says only half: a client of its own, it may not see all ports at first.
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
            let live = try LiveClient(server, .init())
            let expected = live.client.report().roundTrip
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

        /// What jack_iodelay measures from `input` to `output`: its first reading that comes twice.
        private func delay(_ input: String, _ output: String, _ server: JackServer) throws -> String
        {
            let measuring = try Program(
                "/usr/bin/stdbuf", ["-oL", "jack_iodelay"],
                environment: ["JACK_DEFAULT_SERVER": server.name])
            defer { measuring.kill(SIGTERM) }
            // It says so when it runs, and hears nothing yet.
            _ = measuring.line(after: "Signal below threshold")
            _ = try server.tool("jack_connect", ["jack_delay:out", input])
            _ = try server.tool("jack_connect", [output, "jack_delay:in"])
            var last = ""
            while let line = measuring.nextLine() {
                guard line.contains("total roundtrip latency") else { continue }
                if line == last { return line }
                last = line
            }
            return ""
        }

        @Test func measuredDelayIsThatOfAWire() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].pan = .left
            let wire = try Witness(["--name", "wire", "--pass", "1", "--wait"], server: server)
            let ofWire = try delay("wire:in_1", "wire:out_1", server)
            #expect(live.waitForFrames(live.client.sampleRate + 1024))
            let ofUs = try delay("duet:mic", "duet:out_left", server)
            #expect(ofWire.contains("128.000 frames"))
            #expect(ofUs == ofWire)
            try wire.begin()
            _ = try wire.finish()
        }

        @Test func outputsOfAMixWithoutAMicrophoneReportTheirOwn() throws {
            let server = try JackServer()
            let live = try LiveClient(server, .init(microphoneChannels: 0))
            #expect(live.wait { if case .latency = $0 { true } else { false } })
            #expect(try ranges("duet:out_left", server)["capture"] == [0, 0])
            #expect(live.client.latency.capture == .zero)
        }
    }
}
