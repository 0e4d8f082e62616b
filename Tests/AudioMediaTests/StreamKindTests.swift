import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// What tells songs from live streams, where heads of answers do not say it, or say it wrongly.
@Suite(.ownProcess("a web server")) struct StreamKindTests {
    private static let song = [UInt8].noise(100_000, seed: 1)
    private static let other = [UInt8].noise(100_000, seed: 2)

    private static func head(_ headers: [String], version: String = "HTTP/1.0") -> String {
        "\(version) 200 OK\r\nContent-Type: audio/mpeg\r\n"
            + headers.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    // MARK: A file with a station's headers

    @Test(arguments: [
        ["Accept-Ranges: bytes"], ["ETag: \"one\""],
        ["Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT", "Date: Sat, 21 Nov 2026 10:00:00 GMT"],
    ])
    func aFileIsNoStation(_ headers: [String]) throws {
        let server = try ScriptedServer { exchange in
            exchange.send(
                Self.head(headers + ["icy-name: R", "icy-br: 128", "Content-Length: 100000"]))
            exchange.send(Self.song)
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(stage.source.response?.station == nil)
        #expect(stage.source.size == 100_000)
        #expect(stage.source.isSeekable == (headers == ["Accept-Ranges: bytes"]))
        #expect(server.requests.count == 1)
    }

    /// A server that puts titles between the bytes of a file is asked not to.
    @Test func aFileIsAskedForWithoutTitles() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(
                Self.head(["icy-metaint: 100", "ETag: \"one\"", "Content-Length: 100000"]))
            guard exchange.head.contains("Icy-MetaData") else {
                exchange.send(Self.song)
                return
            }
            for start in stride(from: 0, to: 100_000, by: 100) {
                exchange.send(Array(Self.song[start..<(start + 100)]) + [0])
            }
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(stage.told == [])
        #expect(server.requests.count == 2)
    }

    /// An answer without ranges and validator counts as a station's; where the same bytes come again
    /// after its announced length, it was a file.
    @Test(arguments: [0, 1000])
    func theSameAnswerAgainIsTheEnd(interval: Int) throws {
        let server = try ScriptedServer { exchange in
            let body =
                interval == 0
                ? Self.song
                : stride(from: 0, to: 100_000, by: interval).flatMap {
                    Self.song[$0..<($0 + interval)] + [0]
                }
            exchange.send(
                Self.head([
                    "icy-name: R", "Content-Length: \(body.count)", "icy-metaint: \(interval)",
                ]))
            exchange.send(body)
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(stage.told == [])
        #expect(server.requests.count == 2)
    }

    @Test func anotherAnswerGoesOnLive() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head(["icy-name: R", "Content-Length: 100000"]))
            exchange.send(exchange.number == 0 ? Self.song : Self.other)
            if exchange.number == 1 { exchange.waitForClient() }
        }
        let stage = SourceStage(server)
        #expect(stage.read { stage.window.count >= 200_000 } == nil)
        #expect(firstDifference(stage.bytes, Self.song + Self.other) == nil)
        #expect(stage.told == [.spliced(at: 100_000)])
        stage.source.stop()
    }

    // MARK: The pause before another request

    /// A byte is no reason to ask at once again.
    @Test func aStationThatSendsAByteIsAskedMoreAndMoreRarely() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head(["icy-name: R"]))
            exchange.send([UInt8(exchange.number)])
        }
        let stage = SourceStage(server)
        #expect(stage.read { server.requests.count >= 12 } == nil)
        let attempts = stage.told.compactMap {
            if case .retrying(let retry) = $0 { retry.attempt } else { nil }
        }
        #expect(attempts == Array(1...attempts.count))
        // 0.5 s doubling to 10 s: far less than twelve times 0.5 s would be.
        #expect(stage.clock.now > 40)
        stage.source.stop()
    }

    /// Seconds of sound are.
    @Test(arguments: [(nil, 16_384), (64, 16_384), (320, 80_000)] as [(Int?, Int)])
    func secondsOfSoundMakeThePauseShort(bitrate: Int?, enough: Int) throws {
        for count in [enough - 1, enough] {
            let server = try ScriptedServer { exchange in
                exchange.send(
                    Self.head(["icy-name: R"] + (bitrate.map { ["icy-br: \($0)"] } ?? [])))
                exchange.send(Array(Self.song[..<count]))
            }
            let stage = SourceStage(server)
            #expect(stage.read { stage.told.count >= 6 } == nil)
            let attempts = stage.told.compactMap {
                if case .retrying(let retry) = $0 { retry.attempt } else { nil }
            }
            #expect(
                attempts.prefix(3) == (count == enough ? [1, 1, 1] : [1, 2, 3]), "\(count) bytes")
            stage.source.stop()
        }
    }

    // MARK: Neither a length nor a station's headers

    private static let chunked = ["Transfer-Encoding: chunked"]

    @Test func aChunkedAnswersEndIsTheEnd() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head(Self.chunked, version: "HTTP/1.1"))
            exchange.send(Self.song.chunked(5000) + .lastChunk)
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(server.requests.count == 1)
    }

    /// The end of a connection is the end of the song where the next answer brings no more of it, or
    /// none comes.
    @Test(arguments: [
        "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n",
        "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ])
    func aClosedConnectionMayBeTheEnd(_ second: String) throws {
        let server = try ScriptedServer { exchange in
            exchange.send(exchange.number == 0 ? Self.head([]) : second)
            exchange.send(Self.song)
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(stage.told == [])
        #expect(server.requests.count == 2)
    }

    /// A live stream that breaks is joined where it is, and not read again up to where it was.
    @Test(arguments: [true, false], [100_000, 300])
    func aStreamThatSendsOtherBytesIsLive(isReset: Bool, count: Int) throws {
        let server = try ScriptedServer { exchange in
            // A chunked answer would tell its end, except while it is known to be live.
            let isChunked = exchange.number == 1
            exchange.send(
                Self.head(isChunked ? Self.chunked : [], version: "HTTP/1.1"))
            switch exchange.number {
            case 0: exchange.send(Array(Self.song[..<count]))
            case 1:
                exchange.send(Array(Self.other[..<20_000]).chunked(5000) + .lastChunk)
            default:
                exchange.send(Self.song)
                exchange.waitForClient()
            }
            if isReset, exchange.number == 0 { exchange.reset() }
        }
        let stage = SourceStage(server)
        #expect(stage.read { stage.window.count >= count + 120_000 } == nil)
        let expected = Array(Self.song[..<count]) + Self.other[..<20_000] + Self.song
        // A reset may take the last bytes with it.
        let lost = expected.count - stage.bytes.count
        #expect(isReset || lost == 0)
        #expect(
            firstDifference(Array(stage.bytes.suffix(120_000)), Array(expected.suffix(120_000)))
                == nil)
        #expect(stage.source.response?.station == Station(name: nil, bitrate: nil))
        let joints = stage.told.filter { if case .spliced = $0 { true } else { false } }
        #expect(joints.count == 2)
        #expect(stage.reasons.last == "the station ended the connection")
        #expect(stage.clock.now < 5)
        stage.source.stop()
    }

    /// Streams of one program may begin alike. What was equal is part of what is heard.
    @Test func whatBeginsAlikeIsComparedToItsEnd() throws {
        let second = Array(Self.song[..<500]) + Self.other[500...]
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head([]))
            exchange.send(exchange.number == 0 ? Self.song : second)
            if exchange.number > 0 { exchange.waitForClient() }
        }
        let stage = SourceStage(server)
        #expect(stage.read { stage.window.count >= 200_000 } == nil)
        #expect(firstDifference(stage.bytes, Self.song + second) == nil)
        stage.source.stop()
    }

    /// Silence begins every stream alike.
    @Test func aSilentBeginningProvesNothing() throws {
        let frame = [UInt8].noise(417, seed: 3)
        let silence = (0..<240).flatMap { _ in frame }
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head([]))
            exchange.send(silence)
            if exchange.number > 0 { exchange.waitForClient() }
        }
        let stage = SourceStage(server)
        #expect(stage.read { stage.window.count >= 2 * silence.count } == nil)
        #expect(stage.source.response?.station != nil)
        stage.source.stop()
    }

    /// A song whose server knows no ranges is read again, and goes on.
    @Test func aSongIsReadAgain() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head(Self.chunked, version: "HTTP/1.1"))
            let bytes = Self.song.chunked(1000) + .lastChunk
            exchange.send(
                exchange.number < 2 ? Array(bytes[..<(90_000 + 5000 * exchange.number)]) : bytes)
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.song) == nil)
        #expect(stage.reasons == ["the connection broke", "the connection broke"])
        #expect(stage.source.response?.station == nil)
    }

    /// A song that comes as fast as it plays is not read again for ever: that would be silence.
    @Test(arguments: [true, false])
    func readingAgainHasALimit(isReset: Bool) throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head([]))
            guard exchange.number > 0 else {
                exchange.send(Array(Self.song[..<90_000]))
                if isReset {
                    exchange.waitUntilReceived()
                    exchange.reset()
                }
                return
            }
            for start in stride(from: 0, to: 80_000, by: 1000) {
                guard exchange.send(Array(Self.song[start..<(start + 1000)])) else { return }
                gate.wait()
            }
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1 << 20
        stage.source.start(at: 0)
        var seen: Int64 = 0
        var error: SongError?
        do {
            try stage.run { news in
                for case .retrying(let retry) in news { stage.clock.pass(retry.delay + 0.001) }
                if server.requests.count > 1, let offset = stage.source.bodyOffset, offset != seen {
                    seen = offset
                    stage.clock.pass(1)
                    gate.signal()
                }
                return stage.source.isAtEnd
            }
        } catch let lost as SongError {
            error = lost
        }
        // After a break the song is lost; where it may have been over, it is over.
        #expect(error?.hadBegun == (isReset ? true : nil))
        #expect(stage.source.isAtEnd == !isReset)
        #expect((60..<65).contains(stage.clock.now), "\(stage.clock.now)")
        for _ in 0..<80 { gate.signal() }
    }

    /// A live stream is over when its server takes no more connections.
    @Test func aStreamIsOverWithItsServer() throws {
        let gate = DispatchSemaphore(value: 0)
        var server: ScriptedServer? = try ScriptedServer { exchange in
            exchange.send(Self.head([]))
            exchange.send(exchange.number == 0 ? Self.song : Self.other)
            if exchange.number == 1 { gate.wait() }
        }
        let stage = SourceStage(server!.address(), of: NSObject())
        #expect(stage.read { stage.window.count >= 200_000 } == nil)
        #expect(stage.source.response?.station != nil)
        server = nil
        gate.signal()
        #expect(stage.readOn() == nil)
        #expect(stage.source.isAtEnd)
        #expect(stage.bytes.count == 200_000)
    }

    /// A list or a text that its server makes anew for every request is read once.
    @Test(arguments: ["text/plain", "audio/x-mpegurl", "audio/x-scpls", "application/octet-stream"])
    func whatIsNoSoundIsReadOnce(type: String) throws {
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\nContent-Type: \(type)\r\n\r\n\(exchange.number)")
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil)
        #expect(server.requests.count == 1)
    }
}
