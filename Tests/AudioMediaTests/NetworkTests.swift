import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite(.ownProcess("a web server")) struct NetworkTests {
    /// The decoded frames of a file.
    private func expected(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    /// Plays what a scripted server serves, and compares it with the file.
    private func plays(
        _ file: MusicFile = .constant, limits: NetworkLimits = .short,
        _ answer: @escaping @Sendable (ScriptedServer.Exchange, [UInt8]) -> Void
    ) throws -> (events: [SongEvent], requests: [String]) {
        let bytes = try file.bytes
        let server = try ScriptedServer { answer($0, bytes) }
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let same = try stage.renderAll() == expected(file)
        #expect(same)
        stage.song.stop()
        return (stage.log.all, server.requests)
    }

    @Test(arguments: MusicFile.allCases)
    func overHTTPTheSameFrames(_ file: MusicFile) throws {
        let url = try file.url
        let server = try FileServer(root: MusicFile.folder)
        let decoder = try MP3Decoder()
        let expected = try decodeAll(file.bytes, chunk: 65_536, decoder: decoder)
        let stage = try SongStage(
            server.url(url.lastPathComponent), rate: decoder.sampleRate)
        stage.song.start()
        let same = stage.renderAll() == expected
        #expect(same)
        #expect(stage.song.info?.isSeekable == true)
    }

    @Test func resumesAfterTruncationAndReset() throws {
        let result = try plays { exchange, bytes in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                start == 0
                    ? "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"
                    : "HTTP/1.1 206 Partial Content\r\n"
                        + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                        + "Content-Length: \(bytes.count - start)\r\n\r\n")
            exchange.send(Array(bytes[start..<min(start + 30_000, bytes.count)]))
            if exchange.number % 2 == 1 { exchange.reset() }
        }
        #expect(result.requests.count >= 6)
        let retries = result.events.filter {
            if case .reconnecting = $0 { true } else { false }
        }
        #expect(retries.count >= 5)
    }

    /// Bytes after the last frame are no reason to ask the server for more: an ID3v1 tag may end
    /// with a byte that could begin a frame.
    @Test func aWholeSongIsAskedForOnce() throws {
        let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 124) + [0xFF]
        for file in MusicFile.allCases {
            let bytes = try file.bytes + tag
            let server = try ScriptedServer { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
                exchange.send(bytes)
            }
            let stage = try SongStage(server.address(), rate: 44_100)
            stage.song.start()
            while stage.source.state != .ended { _ = stage.renderer.render(frames: 4096) }
            #expect(server.requests.count == 1, "\(file)")
        }
    }

    @Test func resumesWithoutRanges() throws {
        let result = try plays { exchange, bytes in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(exchange.number < 2 ? Array(bytes.prefix(50_000)) : bytes)
        }
        #expect(result.requests.count == 3)
        #expect(result.requests[1].contains("Range: bytes=\(50_000 - 16_384)-"))
    }

    @Test func aStallIsNoticed() throws {
        let result = try plays { exchange, bytes in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")\r\n"
                    + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    + "Content-Length: \(bytes.count - start)\r\n\r\n")
            if exchange.number == 0 {
                exchange.send(Array(bytes[..<20_000]))
                exchange.waitForClient()
            } else {
                exchange.send(Array(bytes[start...]))
            }
        }
        #expect(result.requests.count == 2)
        #expect(
            result.events.contains {
                if case .reconnecting(1, .stalled, _) = $0 { true } else { false }
            })
    }

    @Test func busyServersAreAskedAgain() throws {
        let result = try plays { exchange, bytes in
            let refusals = ["503 Service Unavailable", "429 Too Many Requests", "408 Timeout"]
            if exchange.number < 3 {
                exchange.send(
                    "HTTP/1.1 \(refusals[exchange.number])\r\nContent-Length: 4\r\n\r\nbusy")
            } else {
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
                exchange.send(bytes)
            }
        }
        #expect(result.requests.count == 4)
    }

    @Test func aPausedTransferMayBeClosed() throws {
        var limits = NetworkLimits.short
        limits.readAhead = 20_000
        let result = try plays(limits: limits) { exchange, bytes in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")\r\n"
                    + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    + "Content-Length: \(bytes.count - start)\r\n\r\n")
            exchange.send(Array(bytes[start..<min(start + 100_000, bytes.count)]))
        }
        #expect(result.requests.count >= 2)
        #expect(!result.events.contains { if case .reconnecting = $0 { true } else { false } })
    }

    @Test func readingAheadAndKeepingAreBounded() throws {
        let file = MusicFile.freeFormat
        let log = MusicFile.folder.appendingPathComponent("access-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let server = try FileServer(root: MusicFile.folder, locations: "access_log \(log.path);")
        var limits = NetworkLimits.standard
        limits.readAhead = 65_536
        limits.kept = 3 * 65_536
        let stage = try SongStage(
            server.url(file.url.lastPathComponent), rate: 44_100, limits: limits)
        stage.song.start()
        var all: [Float] = []
        while stage.source.state != .ended {
            all += stage.render(4096)
            #expect(stage.song.keptBytes <= 4 * 65_536)
        }
        stage.song.seek(to: 1)
        let frames = stage.framesAfterSeek(to: 1)
        #expect(frames.count == 8000)
        let same = frames[1000...] == all[(2 * 44_100 + 1000)..<(2 * 44_100 + 8000)]
        #expect(same)
        // nginx logs a request when it is over.
        stage.song.stop()
        #expect(try poll { try String(contentsOf: log, encoding: .utf8).contains(" 206 ") })
    }

    @Test func jumpsByEstimateWhereReadingOnTakesLong() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")\r\n"
                    + "Accept-Ranges: bytes\r\n"
                    + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    + "Content-Length: \(bytes.count - start)\r\n\r\n")
            // 25 kB/s: each second brings one second of the song.
            var sent = start
            while sent < bytes.count {
                let end = min(sent + 2500, bytes.count)
                guard exchange.send(Array(bytes[sent..<end])) else { return }
                sent = end
                usleep(100_000)
            }
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        _ = stage.render(30_000)
        stage.song.seek(to: 6)
        #expect(stage.framesAfterSeek(to: 6).contains { $0 != 0 })
        #expect(stage.log.wait { $0 == .seeked(seconds: 6, isExact: false) } != nil)
        #expect(poll { !stage.song.position.isExact })
        // No more is asked for than leads to the place: 24 kB are a second, 8 kB twelve frames.
        let range = try #require(server.requests.last?.range(of: "Range: bytes="))
        let first = Int(
            try #require(server.requests.last)[range.upperBound...].prefix { $0 != "-" })
        #expect((6 * 24_000 - 12_000...6 * 24_000).contains(try #require(first)))
        stage.song.seek(to: 0.2)
        #expect(stage.framesAfterSeek(to: 0.2).contains { $0 != 0 })
        #expect(stage.log.wait { $0 == .seeked(seconds: 0.2, isExact: true) } != nil)
    }

    @Test func anExactSongReadsOnHoweverLong() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")\r\n"
                    + "Accept-Ranges: bytes\r\n"
                    + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    + "Content-Length: \(bytes.count - start)\r\n\r\n")
            // At 12 kB/s until the song is open: reading to its end looks as if it took 10 s.
            var sent = start
            while sent < 6000 {
                exchange.send(Array(bytes[sent..<(sent + 500)]))
                sent += 500
                usleep(40_000)
            }
            exchange.send(Array(bytes[sent...]))
        }
        let whole = try expected(.constant)
        let stage = try SongStage(server.address(), rate: 44_100, isExact: true)
        stage.song.start(at: 6)
        let played = stage.renderAll(from: 6)
        #expect(server.requests.count == 1)
        #expect(stage.log.wait { $0 == .seeked(seconds: 6, isExact: true) } != nil)
        // Compares all frames except the fade after the start.
        let fade = 2 * (44_100 / 200 + 2)
        let same = played.dropFirst(fade).elementsEqual(whole[(2 * 6 * 44_100 + fade)...])
        #expect(same)
    }
}
