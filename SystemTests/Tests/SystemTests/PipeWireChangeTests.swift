import Foundation
import Rig
import Testing

/// PipeWire changes its rate and its quantum whenever it likes.
@Suite(.serialized, .enabled(if: JackServer.isPipeWire)) struct PipeWireChangeTests {
    private let client = Duet.clientName()

    private func force(_ what: String, _ value: Int) throws {
        try Tool.run(["pw-metadata", "-n", "settings", "0", "clock.force-\(what)", "\(value)"])
    }

    @Test func rateAndQuantum() throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let tone = try folder.song("tone.mp3", seconds: 60, rate: 44_100, frequency: 300)
        let duet = try Duet(
            ["play", tone.path, "-n", client, "--out", "none", "--json"], streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        defer { for what in ["rate", "quantum"] { try? force(what, 0) } }
        for (rate, quantum) in [(44_100, 512), (96_000, 1024), (48_000, 128)] {
            try force("quantum", quantum)
            try force("rate", rate)
            try duet.waitFor { $0.all(Events.Rate.self).last?.rate == rate }
            let heard = try Witness(
                [
                    "--name", Duet.clientName(), "--frames", "\(2 * rate)",
                    "--connect-from", "\(client):out_left:0",
                ], server: server, record: 1
            ).finish().channels[0]
            let crossings = heard.indices.dropFirst().filter { heard[$0 - 1] < 0 && heard[$0] >= 0 }
            // The periods of the tone; a few are cut short where PipeWire lost a cycle.
            let lengths = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
            try #require(lengths.count > 300)
            #expect(abs(lengths[lengths.count / 2] - rate / 300) <= 1, "at \(rate)")
        }
        #expect(try duet.first(Events.Server.self) == nil)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}
