import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Live streams as a queue plays them: joined again for ever, and without a click.
@Suite(.ownProcess("a web server")) struct LiveStreamTests {
    /// A station that sends `count` of `bytes` on every connection, each time from another place,
    /// with a title after every 1000 bytes. Then it hangs up, except on the last connection.
    private func station(
        _ bytes: [UInt8], count: Int, breaks: Int
    ) throws -> ScriptedServer {
        try ScriptedServer { exchange in
            exchange.send(
                "ICY 200 OK\r\nicy-name: Radio \u{1B}[1mQ\r\nicy-br: 128\r\n"
                    + "content-type: audio/mpeg\r\nicy-metaint: 1000\r\n\r\n")
            let start = exchange.number * count
            for offset in stride(from: start, to: start + count, by: 1000) {
                exchange.send(Array(bytes[offset..<(offset + 1000)]))
                var text = Array("StreamTitle='It\u{27}s \(exchange.number)';".utf8)
                text += [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
                exchange.send([UInt8(text.count / 16)] + text)
            }
            if exchange.number == breaks { exchange.waitForClient() }
        }
    }

    @Test func aStationIsHeardThroughItsBreaks() throws {
        // One long tone, so that every click shows.
        let folder = try TemporaryFolder()
        let tone = try folder.song(seconds: 20, rate: 44_100, frequency: 300)
        let bytes = [UInt8](try Data(contentsOf: tone))
        let server = try station(bytes, count: 100_000, breaks: 2)
        var limits = NetworkLimits.standard
        limits.firstPause = 0.01
        // The silent last connection must not count as a stall, however slow this machine is.
        limits.stall = 60
        let stage = try SongStage([server.address()], rate: 44_100, limits: limits)
        stage.song.start()
        // Three stretches of 100 kB at 192 kbit/s.
        let played = stage.render(11 * 44_100)
        #expect(server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.contains("Icy-MetaData: 1") })
        #expect(!server.requests.contains { $0.contains("Range:") })
        let left = channel(0, of: played)
        let peak = Samples.peak(left)
        let own = Float(2 * Double.pi * 300 / 44_100) * peak
        #expect(Samples.largestStep(left) <= own * 1.05 + peak / 250)
        #expect(left.filter { abs($0) > peak / 4 }.count > left.count / 2)
        let info = try #require(stage.song.info)
        #expect(info.station == Station(name: "Radio [1mQ", bitrate: 128))
        #expect(info.duration == nil && !info.isSeekable)
        let titles = stage.log.all.compactMap { event -> String? in
            if case .title(let text) = event { text } else { nil }
        }
        #expect(titles == ["It's 0", "It's 1", "It's 2"])
        stage.song.seek(to: 1)
        #expect(stage.log.wait { $0 == .cannotSeek(.live) } != nil)
        #expect(stage.source.state == .playing)
        stage.song.stop()
    }

    /// The pitch stays: 300 Hz before and after the change.
    @Test func aStationThatComesBackAtAnotherRate() throws {
        let folder = try TemporaryFolder()
        let stretches = try [44_100, 22_050].map { rate in
            [UInt8](
                try Data(
                    contentsOf: folder.song("\(rate).mp3", seconds: 6, rate: rate, frequency: 300)))
        }
        let server = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n\r\n")
            exchange.send(stretches[min(exchange.number, 1)])
            if exchange.number == 1 { exchange.waitForClient() }
        }
        var limits = NetworkLimits.standard
        limits.firstPause = 0.01
        // The silent last connection must not count as a stall, however slow this machine is.
        limits.stall = 60
        let stage = try SongStage([server.address()], rate: 48_000, limits: limits)
        stage.song.start()
        let played = stage.render(11 * 48_000)
        let left = channel(0, of: played)
        for second in [2, 4, 8, 10] {
            let part = left[(second * 48_000)..<((second + 1) * 48_000)]
            let crossings = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect((297...303).contains(crossings), "second \(second)")
        }
        stage.song.stop()
    }

    /// Of what was heard nothing is kept: nobody can go back to it.
    @Test func aStationKeepsWhatIsAhead() throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](
            try Data(contentsOf: folder.song(seconds: 30, rate: 44_100, bitrate: 320)))
        let server = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\ncontent-type: audio/mpeg\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        var limits = NetworkLimits.standard
        limits.readAhead = 65_536
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        var most = 0
        for _ in 0..<25 {
            _ = stage.render(44_100)
            most = max(most, stage.song.keptBytes)
        }
        // 25 s are 1 MB. What is read ahead comes in pieces, and is forgotten in blocks.
        #expect(most <= 65_536 + 131_072 + 65_536, "\(most) bytes")
        #expect(most > 0)
        stage.song.stop()
    }

    /// A live stream has no places: the start time is refused, and the position counts what is
    /// heard.
    @Test func aStationRefusesAStartTime() throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](try Data(contentsOf: folder.song(seconds: 10, rate: 44_100)))
        let server = try station(bytes, count: 100_000, breaks: 0)
        let stage = try SongStage([server.address()], rate: 44_100)
        stage.song.start(at: 300)
        _ = stage.render(3 * 44_100)
        #expect(stage.log.wait { $0 == .cannotSeek(.live) } != nil)
        #expect((1...3.2).contains(stage.song.position.seconds), "\(stage.song.position)")
        stage.song.stop()
    }
}
