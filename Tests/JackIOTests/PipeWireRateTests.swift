import AudioGraph
import Foundation
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// PipeWire changes its rate while an engine plays.
    @Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: JackServer.isPipeWire))
    struct PipeWireRateTests {
        private func force(_ what: String, _ value: Int) throws {
            try Tool.run(["pw-metadata", "-n", "settings", "0", "clock.force-\(what)", "\(value)"])
        }

        /// A tone, which the player's converter keeps at its pitch.
        @Test func theEngineGoesOnAtEachRate() async throws {
            let server = try JackServer()
            let engine = try AudioEngine(
                JackClient.open(
                    JackConfiguration(name: "duet", microphoneChannels: 0, outputs: .none),
                    server: server.name))
            let tone = (0..<44_100 * 60).map { sin(Float($0 % 147) / 147 * 2 * .pi) / 2 }
            let player = QueuePlayerNode(format: StreamFormat(sampleRate: 44_100, channelCount: 1))
            try engine.edit { graph in try graph.chain(player, HardwareIO(inputChannels: 0)) }
            try player.schedule(AudioBuffer([tone], sampleRate: 44_100))
            player.start()
            var events = engine.events().makeAsyncIterator()
            try engine.start()
            defer { for what in ["rate", "quantum"] { try? force(what, 0) } }
            for (rate, quantum) in [(44_100, 512), (96_000, 1024), (48_000, 128)] {
                try force("quantum", quantum)
                try force("rate", rate)
                while let event = await events.next(isolation: nil) {
                    if event == .sampleRate(rate) { break }
                }
                #expect(engine.failure == nil && engine.isConnected)
                #expect(engine.edit { $0.sampleRate } == rate)
                let heard = try Witness(
                    ["--frames", "\(rate)", "--connect-from", "duet:out_left:0"],
                    server: server, record: 1
                ).finish().channels[0]
                let crossings = heard.indices.dropFirst().filter {
                    heard[$0 - 1] < 0 && heard[$0] >= 0
                }
                // The periods of the tone; a few are cut short where PipeWire lost a cycle.
                let lengths = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
                try #require(lengths.count > 150)
                #expect(abs(lengths[lengths.count / 2] - rate / 300) <= 1, "at \(rate)")
            }
            engine.stop()
        }

        /// A song was decoded for the rate that is gone.
        @Test func aGraphThatRefusesTheRateEndsTheEngine() async throws {
            let server = try JackServer()
            let engine = try AudioEngine(
                JackClient.open(
                    JackConfiguration(name: "duet", microphoneChannels: 0, outputs: .none),
                    server: server.name))
            try engine.edit { graph in
                try graph.chain(SongSource(sampleRate: 48_000), HardwareIO(inputChannels: 0))
            }
            let events = engine.events()
            try engine.start()
            defer { try? force("rate", 0) }
            try force("rate", 44_100)
            for await event in events { #expect(event != .sampleRate(44_100)) }
            #expect(
                engine.failure == .graph(.otherRate(node: "song", rate: 48_000, graph: 44_100)))
        }
    }
}
