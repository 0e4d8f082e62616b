import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import JackIO

extension LiveTests {
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LevelTests {
        /// A program that plays noise with peaks just below −6.02 dBFS.
        private func noise(_ server: JackServer, isPhysical: Bool = true) throws -> Witness {
            try Witness(
                ["--name", "singer", "--noise", "7", "--frames", "100000000"]
                    + (isPhysical ? ["--physical"] : []), server: server)
        }

        @Test func eachPortHasItsLevel() throws {
            let server = try JackServer(period: 1024)
            let singer = try noise(server)
            let levels = try LevelProbe.listen(on: server.name, seconds: 0.5) { ports in
                ports.filter(\.captures).map(\.name).reversed()
            }
            #expect(
                levels.map(\.port) == ["singer:out_1", "system:capture_2", "system:capture_1"])
            #expect(abs(levels[0].peak.value + 6.02) < 0.05)
            #expect(levels[1].peak == .floor && levels[2].peak == .floor)
            // Its client is gone.
            #expect(try poll { try !server.tool("jack_lsp", []).contains("duet-listen") })
            _ = try singer.stop()
        }

        @Test func programsThatCaptureCount() {
            let ports = [
                JackPort(name: "system:capture_1", isPhysical: true),
                JackPort(name: "zita-a2j:capture_1"), JackPort(name: "Firefox:output_FL"),
                JackPort(name: "card:monitor_FL", isPhysical: true),
            ]
            #expect(ports.map(\.captures) == [true, true, false, false])
        }

        @Test func whereNothingIsChosenNothingIsHeard() throws {
            let server = try JackServer()
            let levels = try LevelProbe.listen(on: server.name, seconds: 60) { _ in [] }
            #expect(levels == [])
            #expect(throws: JackError.noServer(name: "nosuch")) {
                try LevelProbe.listen(on: "nosuch", seconds: 1) { _ in [] }
            }
        }

        /// The server does not connect what it was asked for.
        @Test(arguments: ["A", "a"]) func whatIsRefusedHasNoLevel(mode: String) throws {
            let server = try JackServer(options: ["-a", mode])
            let levels = try LevelProbe.listen(on: server.name, seconds: 0.1) { $0.map(\.name) }
            #expect(levels == [])
        }

        /// A client beside the probe misses no frame, and comes back to a server that died meanwhile.
        @Test func anotherClientIsNotDisturbed() throws {
            let server = try JackServer(period: 256)
            let client = try JackClient(
                .init(name: "duet", microphone: .none, outputs: .none), server: server.name)
            let monitor = try MonitorGraph(sampleRate: client.sampleRate)
            try client.activate(rendering: monitor.graph)
            #expect(poll { client.statistics.cycles > 10 })
            let before = client.statistics
            let levels = try LevelProbe.listen(on: server.name, seconds: 0.5) {
                $0.filter(\.captures).map(\.name)
            }
            #expect(levels.count == 2)
            let frames = client.statistics.frames - before.frames
            #expect(frames >= 24_000 && frames % 256 == 0)
            #expect(client.statistics.xruns == before.xruns)
            client.close()
        }
    }
}
