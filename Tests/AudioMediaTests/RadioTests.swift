import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Live streams as a source delivers them: audio without the titles in it, through every break.
@Suite(.ownProcess("a web server")) struct RadioTests {
    /// 1000 bytes of audio, different for each `number`.
    private static func audio(_ number: Int) -> [UInt8] {
        (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ number &* 101) }
    }

    /// `audio` with a block of text after each 100 bytes, which is empty where the title is the
    /// same.
    private static func interleaved(_ audio: [UInt8], title: String) -> [UInt8] {
        let text = "StreamTitle='\(title)';".utf8
        let units = (text.count + 15) / 16
        let block =
            [UInt8(units)] + text + [UInt8](repeating: 0, count: 16 * units - text.count)
        var result: [UInt8] = []
        for start in stride(from: 0, to: audio.count, by: 100) {
            result += audio[start..<(start + 100)]
            result += start == 0 ? block : [0]
        }
        return result
    }

    private static let head =
        "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Radio\r\nicy-br: 96\r\n"
        + "icy-metaint: 100\r\n\r\n"

    private func received(_ stage: SourceStage, _ count: Int) throws {
        let error = stage.read { stage.window.count >= count }
        #expect(error == nil)
    }

    @Test func aStationIsHeardAcrossItsBreaks() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head)
            let number = exchange.number
            // The second connection breaks in the middle of a title; the fourth repeats the third's
            // title.
            let bytes = Self.interleaved(Self.audio(number), title: "Song \(min(number, 2))")
            exchange.send(number == 1 ? Array(bytes[..<110]) : bytes)
            if number == 2 { exchange.reset() }
            if number == 3 { exchange.waitForClient() }
        }
        let stage = SourceStage(server)
        try received(stage, 3100)
        let expected =
            Self.audio(0) + Self.audio(1)[..<100] + Self.audio(2) + Self.audio(3)
        #expect(firstDifference(stage.bytes, expected) == nil)
        let told = stage.told.filter { if case .retrying = $0 { false } else { true } }
        #expect(
            told == [
                .title("Song 0", at: 100), .spliced(at: 1000), .spliced(at: 1100),
                .title("Song 2", at: 1200), .spliced(at: 2100),
            ])
        #expect(
            stage.reasons == [
                "the station ended the connection", "the station ended the connection",
                "the connection broke",
            ])
        for request in server.requests {
            #expect(!request.contains("Range"))
            #expect(request.contains("\r\nIcy-MetaData: 1\r\n"))
        }
        #expect(
            stage.source.response
                == ResponseFacts(
                    contentType: "audio/mpeg", address: server.address(),
                    station: Station(icyName: "Radio", icyBitrate: "96")))
        #expect(stage.source.size == nil)
        #expect(!stage.source.isSeekable)
        stage.source.stop()
    }

    @Test(arguments: [
        "ICY 200 OK\r\nicy-metaint:100\r\nContent-Type:audio/mpeg\r\n\r\n",
        "HTTP/1.1 200 OK\r\nicy-metaint: 100\r\nContent-Length: 54000000\r\n\r\n",
    ])
    func shoutcastsAnswers(_ head: String) throws {
        let server = try ScriptedServer { exchange in
            exchange.send(head)
            exchange.send(Self.interleaved(Self.audio(0), title: "Song"))
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        try received(stage, 1000)
        #expect(firstDifference(stage.bytes, Self.audio(0)) == nil)
        #expect(stage.told == [.title("Song", at: 100)])
        #expect(stage.source.response?.station == Station(icyName: nil, icyBitrate: nil))
        #expect(stage.source.size == nil)
        stage.source.stop()
    }

    @Test(arguments: [
        ("HTTP/1.0 200 OK\r\nServer: Icecast 2.4.4\r\nContent-Type: audio/mpeg\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nicy-name: R\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nicy-br: 128\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nicy-metaint: 0\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nicy-metaint: soon\r\nicy-br: 1\r\n\r\n", true),
        ("ICY 200 OK\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nServer: Icecast 2.4.4\r\nContent-Type: text/html\r\n\r\n", false),
        (
            "HTTP/1.0 200 OK\r\nServer: Icecast 2.4.4\r\nContent-Type: audio/mpeg\r\n"
                + "Content-Length: 1000\r\n\r\n", false
        ),
        ("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n", false),
    ])
    func whatIsLive(_ head: String, _ isLive: Bool) throws {
        let server = try ScriptedServer { exchange in
            exchange.send(head)
            exchange.send(Self.audio(0))
            if isLive { exchange.waitForClient() }
        }
        let stage = SourceStage(server)
        try received(stage, 1000)
        #expect(firstDifference(stage.bytes, Self.audio(0)) == nil)
        #expect((stage.source.response?.station != nil) == isLive)
        #expect(stage.told == [])
        stage.source.stop()
    }

    @Test func aStationIsNeverGivenUp() throws {
        let server = try ScriptedServer { exchange in
            switch exchange.number {
            case 0:
                exchange.send(Self.head)
                exchange.send(Self.interleaved(Self.audio(0), title: ""))
            case 1..<20:
                exchange.send("HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            case 20: exchange.send("HTTP/1.0 302 Found\r\nLocation: ftp://x/\r\n\r\n")
            case 21: exchange.send("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
            case 22: exchange.send("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot packed")
            default:
                exchange.send(Self.head)
                exchange.send(Self.interleaved(Self.audio(1), title: ""))
                exchange.waitForClient()
            }
        }
        let stage = SourceStage(server)
        try received(stage, 2000)
        #expect(firstDifference(stage.bytes, Self.audio(0) + Self.audio(1)) == nil)
        #expect(stage.clock.now > 150)
        #expect(stage.reasons.count == 23)
        #expect(
            stage.reasons[19...] == [
                "the server answered 404 not found",
                "it redirects to an address that is not http or https",
                "what came is not the station",
                "the server sent it packed (gzip), and it cannot be unpacked",
            ])
        // The pauses have grown, and do not become 0 where a song would have been given up.
        for case .retrying(let retry) in stage.told.suffix(15) {
            #expect((7.5...12.5).contains(retry.delay), "\(retry)")
        }
        stage.source.stop()
    }

    @Test func whatNeverWasAStationIsRefused() throws {
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 404 Not Found\r\nicy-name: R\r\nContent-Length: 0\r\n\r\n")
        }
        let error = try #require(SourceStage(server).read())
        #expect(error.description.contains("404"))
        #expect(server.requests.count == 1)
    }

    @Test func aStationThatFallsSilentIsAskedAgain() throws {
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head)
            exchange.send(Self.interleaved(Self.audio(exchange.number), title: ""))
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        try received(stage, 1000)
        stage.clock.pass(6)
        #expect(stage.readOn { stage.window.count >= 2000 } == nil)
        #expect(stage.reasons == ["no more data came"])
        #expect(stage.told.last == .spliced(at: 1000))
        stage.source.stop()
    }

    @Test func aStationThatWePauseIsSplicedInSilence() throws {
        let gone = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { exchange in
            exchange.send(Self.head)
            let audio = (0..<30).flatMap { _ in Self.audio(exchange.number) }
            exchange.send(Self.interleaved(audio, title: ""))
            guard exchange.number == 0 else { return exchange.waitForClient() }
            exchange.end()
            gone.signal()
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in stage.source.isHolding }
        #expect(stage.window.end < 30_000)
        // The server has closed the connection before bytes are wanted again.
        gone.wait()
        stage.source.allowance = 1 << 20
        #expect(stage.readOn { stage.window.end >= 60_000 } == nil)
        #expect(stage.told == [.spliced(at: 30_000)])
        stage.source.stop()
    }

    @Test func aSongThatTurnsIntoAStationIsAnother() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else {
                exchange.send(Self.head)
                exchange.send(Self.audio(1))
                return
            }
            exchange.send("HTTP/1.0 200 OK\r\nContent-Length: 2000\r\n\r\n")
            exchange.send(Self.audio(0))
        }
        let stage = SourceStage(server)
        let error = try #require(stage.read())
        #expect(error.description.contains("changed"))
    }
}
