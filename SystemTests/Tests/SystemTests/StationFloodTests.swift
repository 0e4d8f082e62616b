import Foundation
import Rig
import Testing

/// A station that sends another title with every byte of its music.
@Suite struct StationFloodTests {
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
}
