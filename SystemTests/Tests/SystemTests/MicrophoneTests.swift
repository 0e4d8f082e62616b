import Foundation
import Rig
import Testing

/// The microphone of the built program while its song plays and the song's network stands still:
/// what another program records equals the formula at the same frames, bit for bit. Not under
/// PipeWire, which does not tell every lost period.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MicrophoneTests {
    private struct Singer {
        let name: String
        let volume: Double
        let pan: Double
        let duet: Duet

        /// design.md, mixing maths: a mono bus by constant power, computed in Double, rounded once.
        var gains: (left: Float, right: Float) {
            let turn = (pan + 1) / 2 * .pi / 2
            return (Float(volume * cos(turn)), Float(volume * sin(turn)))
        }
    }

    @Test func theVoiceEqualsTheFormulaWhileTheNetworkStandsStill() throws {
        // This server waits for its clients, so no period is lost.
        let server = try JackServer(period: 1024)
        // A second and a quarter.
        let song = try MusicFile.constant.bytes.prefix(30_000)
        let web = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            exchange.send(Array(song))
            exchange.waitForClient()
        }
        let seed: UInt64 = 5
        var random = SeededRandom(seed: seed)
        var (number, earlyEnds) = (0, 0)
        while number < 20 {
            let volume = (Double.random(in: 0.01...1.9, using: &random) * 1000).rounded() / 1000
            let pan = (Double.random(in: -0.999...0.999, using: &random) * 1000).rounded() / 1000
            let name = "singer-\(number)"
            let duet = try Duet([
                "sing", "--json", "--name", name, "--server", server.name, "--mic", "none",
                "--out", "none", "--mic-volume", "\(volume)", "--mic-pan", "\(pan)", web.address(),
            ])
            try duet.wait(for: Events.Playing.self)
            let played = try duet.wait(for: Events.Underrun.self).frames
            if played >= 55_900 {  // of the 55,969 that are in those bytes
                // From here on the song is silent, and the microphone has faded in.
                let singer = Singer(name: name, volume: volume, pan: pan, duet: duet)
                try compare(singer, server: server, noise: seed &+ UInt64(number))
                number += 1
            } else {
                // On a busy machine the song's thread may be held up until the ring is empty. Then the
                // microphone has not faded in, and the song may go on.
                earlyEnds += 1
                try #require(earlyEnds < 10)
            }
            duet.child.signal(SIGTERM)
            #expect(try duet.child.waitForExit() == .code(0), "\(duet.child.errors)")
        }
    }

    private func compare(_ singer: Singer, server: JackServer, noise seed: UInt64) throws {
        let witness = try Witness(
            [
                "--noise", "\(seed)", "--frames", "9600", "--wait",
                "--connect-to", "\(singer.name):mic:0",
                "--connect-from", "\(singer.name):out_left:0",
                "--connect-from", "\(singer.name):out_right:1",
            ], server: server, record: 2)
        try witness.begin()
        let heard = try witness.finish()
        let period = try #require(heard.periods.first).frames
        // The witness hears its own noise a whole number of periods later, as through a wire.
        let start = try #require(heard.channels[0].firstIndex { $0 != 0 })
        #expect(start <= 2 * period)
        let sung = Noise(seed: seed).prefix(9600 - start)
        let gains = singer.gains
        let left = firstDifference(heard.channels[0][start...], sung.map { $0 * gains.left })
        let right = firstDifference(heard.channels[1][start...], sung.map { $0 * gains.right })
        #expect(
            left == nil && right == nil,
            """
            noise \(seed), \(singer.name) \(singer.volume) \(singer.pan), heard from \(start), \
            xruns \(heard.periods.map(\.xruns)), left differs at \(left ?? -1), right at \(right ?? -1)
            """)
    }
}
