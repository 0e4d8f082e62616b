import Foundation
import Rig
import Testing

/// A station that sends many titles: one with every byte of its music, or ten in a burst.
@Suite(.serialized) struct StationFloodTests {
    @Test func aTitleWithEveryByte() throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        // 4000 titles a second while it plays, and before that as many as the machine can read.
        let song = try folder.song(seconds: 20, rate: 16_000, bitrate: 32)
        let bytes = [UInt8](try Data(contentsOf: song))
        let station = try ScriptedServer { exchange in
            exchange.send(
                "ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\nicy-metaint: 1\r\n\r\n")
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                var piece: [UInt8] = []
                for offset in start..<min(start + 1000, bytes.count) {
                    var text = Array("StreamTitle='Song \(offset)';".utf8)
                    text += [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
                    piece += [bytes[offset], UInt8(text.count / 16)] + text
                }
                guard exchange.send(piece) else { return }
            }
            exchange.waitForClient()
        }
        let duet = try Duet(
            [
                "play", station.address(), "--json", "-s", server.name, "-n",
                Duet.clientName(),
            ], streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        try duet.wait(for: Events.Position.self) { $0.seconds > 4 }
        // Keys still work at once.
        duet.child.type("9")
        try duet.wait(for: Events.Parameter.self)
        let titles = try duet.all(Events.Title.self)
        let seconds = try #require(try duet.told.last?.time)
        #expect(!titles.isEmpty)
        #expect(Double(titles.count) <= 4 + 2 * seconds, "\(titles.count) in \(seconds) s")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// Half a minute comes at once, every three seconds of it another tone under another title. When a
    /// title is told, its tone is what was heard last.
    @Test func theTitlesOfABurstAreToldWhenHeard() throws {
        let stage = try Stage(period: 256)
        let tones = (0..<10).map { 400.0 + 300 * Double($0) }
        let file = try MusicFile.kept("steps.mp3") {
            try Tool.run([
                "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                "aevalsrc=0.2*sin(2*PI*t*(400+300*floor(t/3))):s=48000:d=30", "-ac", "2", "-b:a",
                "128k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3", $0.path,
            ])
        }
        let bytes = [UInt8](try Data(contentsOf: file))
        // The encoder delays the sound: each title comes 0.1 s after the first byte of its tone.
        let starts = tones.indices.map { 48_000 * $0 + 1600 }
        let station = try ScriptedServer { exchange in
            exchange.send(
                "ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\nicy-metaint: 400\r\n\r\n")
            var body: [UInt8] = []
            for end in stride(from: 400, through: bytes.count, by: 400) {
                body += bytes[(end - 400)..<end]
                guard let number = starts.firstIndex(of: end) else {
                    body.append(0)
                    continue
                }
                let text = Array("StreamTitle='Tone \(number)';".utf8)
                body += [2] + text + [UInt8](repeating: 0, count: 32 - text.count)
            }
            exchange.send(body)
            exchange.waitForClient()
        }
        let duet = try stage.start(["play", station.address()], isHeard: false)
        try duet.wait(for: Events.Title.self) { $0.text == "Tone 0" }
        for number in 1...4 {
            let recorder = try Witness(
                recording: 30 * 48_000, of: stage.client, server: stage.server)
            try duet.wait(for: Events.Title.self) { $0.text == "Tone \(number)" }
            let heard = try recorder.stop().channels[0].suffix(2400)
            let levels = Spectrum.decibels(of: Array(heard), at: tones, rate: 48_000)
            let loudest = levels.indices.max { levels[$0] < levels[$1] }
            #expect(heard.count == 2400 && loudest == number, "\(number): \(levels)")
        }
        #expect(try duet.all(Events.Title.self).map(\.text) == (0...4).map { "Tone \($0)" })
        try duet.quit()
    }
}
