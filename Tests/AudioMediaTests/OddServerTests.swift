import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Servers with habits of their own, which play all the same: cookies, other ways to give a
/// password, compressed bodies, ranges that must be asked for, SHOUTcast's own statuses.
@Suite(.ownProcess("a web server")) struct OddServerTests {
    private static let body = ResumeTests.body

    private func expectWhole(_ stage: SourceStage, _ reasons: String...) {
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.reasons == reasons)
    }

    private static func send(
        _ exchange: ScriptedServer.Exchange, _ status: String, _ headers: [String] = [],
        _ body: [UInt8] = body
    ) {
        let lines = (headers + ["Content-Length: \(body.count)"]).map { $0 + "\r\n" }.joined()
        exchange.send("HTTP/1.1 \(status)\r\n\(lines)\r\n")
        exchange.send(body)
    }

    // MARK: Statuses

    @Test func anAnswerThatAProxyHasChangedIsOne() throws {
        let server = try ScriptedServer { Self.send($0, "203 Non-Authoritative Information") }
        expectWhole(SourceStage(server))
    }

    /// A part that nobody asked for: of the whole length, of a part of it, without a range.
    @Test(arguments: [5000, 1000, nil]) func aPartUnasked(count: Int?) throws {
        let server = try ScriptedServer { exchange in
            guard let count else { return Self.send(exchange, "206 Partial Content") }
            let start = exchange.rangeStart ?? 0
            let part = Array(Self.body[start..<min(start + count, 5000)])
            let range = "Content-Range: bytes \(start)-\(start + part.count - 1)/5000"
            Self.send(exchange, "206 Partial Content", [range], part)
        }
        expectWhole(SourceStage(server))
        #expect(server.requests.count == 5000 / (count ?? 5000))
    }

    @Test(arguments: [
        ("ICY 401 Service Unavailable", NetworkFault.notOnAir, true),
        ("ICY 400 Server Full", .stationFull, true),
        ("ICY 401 Unauthorized", .status(401), false),
        ("ICY 404 Resource Not Found", .status(404), false),
        ("ICY 99999999999999999999 Oh", .status(999), true),
    ])
    func shoutcastsRefusals(_ line: String, _ fault: NetworkFault, isRetried: Bool) throws {
        // The head may end there.
        for end in ["\r\nicy-notice1: no\r\n\r\n", "\r\n"] {
            let server = try ScriptedServer { exchange in
                if isRetried, exchange.number > 0 { return Self.send(exchange, "200 OK") }
                exchange.send(line + end)
            }
            let stage = SourceStage(server)
            if isRetried {
                expectWhole(stage, fault.description)
            } else {
                #expect(try #require(stage.read()).fault == .network(fault))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(arguments: ["ICY 200 OK", "ICY OK"]) func shoutcastsWelcome(_ line: String) throws {
        let server = try ScriptedServer { exchange in
            exchange.send("\(line)\r\nicy-name: R\r\n\r\n")
            exchange.send(Self.body)
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        #expect(stage.read { stage.window.count == 5000 } == nil)
        #expect(stage.source.response?.station?.name == "R" && stage.told == [])
    }

    /// Redirects to `/`: plain, and with a body that has a trailer.
    private static let redirects = [
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n"
            + "Connection: close\r\n\r\n1\r\na\r\n0\r\nX: 1\r\n\r\n",
    ]

    @Test(arguments: redirects) func shoutcastBehindARedirect(_ redirect: String) throws {
        let isFull = Guarded(true)
        let server = try ScriptedServer { exchange in
            if exchange.head.hasPrefix("GET /song.mp3") { return exchange.send(redirect) }
            if isFull.withLock({ $0 }) { return exchange.send("ICY 400 Server Full\r\n\r\n") }
            exchange.send("ICY 200 OK\r\n\r\n")
            exchange.send(Self.body)
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        let lost = stage.read {
            if !stage.reasons.isEmpty { isFull.withLock { $0 = false } }
            return stage.window.count == 5000
        }
        #expect(lost == nil && stage.reasons == ["the station is full"])
        #expect(stage.source.response?.station != nil)
    }

    /// When a server closes a connection that it has not announced to close.
    enum Closing: CaseIterable {
        case afterTheAnswer, atTheNextRequest

        /// Waits with an answered connection until it is closed.
        func wait(_ exchange: ScriptedServer.Exchange) {
            if self == .atTheNextRequest { exchange.waitForRequest() }
        }
    }

    /// Redirects `/song.mp3` to `/1.mp3`, and so on; true for the one after `count`.
    private static func redirects(
        _ exchange: ScriptedServer.Exchange, _ count: Int, _ closing: Closing
    ) -> Bool {
        let place = exchange.head.firstMatch(of: #/^GET \/(\d+)\.mp3 /#).flatMap { Int($0.1) } ?? 0
        guard place < count else { return true }
        send(exchange, "302 Found", ["Location: /\(place + 1).mp3"], [])
        closing.wait(exchange)
        return false
    }

    @Test(arguments: Closing.allCases) func redirectsForEverAreGivenUp(closing: Closing) throws {
        let server = try ScriptedServer { _ = Self.redirects($0, .max, closing) }
        let stage = SourceStage(server)
        let error = try #require(stage.read())
        #expect(error.fault == .network(.tooManyRedirects(20)) && stage.reasons.isEmpty)
        #expect(server.requests.count <= 2 * 21)
    }

    @Test(arguments: Closing.allCases, [7, 20])
    func manyRedirectsLeadToTheSong(closing: Closing, count: Int) throws {
        let server = try ScriptedServer { exchange in
            if Self.redirects(exchange, count, closing) { Self.send(exchange, "200 OK") }
        }
        expectWhole(SourceStage(server))
    }

    /// Late in a chain of redirects one connection breaks.
    @Test func aBreakBetweenRedirectsIsNotTheEnd() throws {
        let isBroken = Guarded(false)
        let server = try ScriptedServer { exchange in
            let isFirst = isBroken.withLock { isBroken in
                defer { isBroken = isBroken || exchange.head.contains("/10.mp3") }
                return !isBroken && exchange.head.contains("/10.mp3")
            }
            if isFirst { return exchange.reset() }
            if Self.redirects(exchange, 11, .afterTheAnswer) { Self.send(exchange, "200 OK") }
        }
        let stage = SourceStage(server)
        #expect(stage.read() == nil && firstDifference(stage.bytes, Self.body) == nil)
    }

    // MARK: Requests

    /// A server that answers nothing without a range, or at most after 30 s.
    @Test(arguments: [false, true]) func aServerThatWantsARange(isSilent: Bool) throws {
        let server = try ScriptedServer { exchange in
            guard let start = exchange.rangeStart else {
                return isSilent ? exchange.waitForClient() : ()
            }
            Self.send(
                exchange, "206 Partial Content", ["Content-Range: bytes \(start)-4999/5000"],
                Array(Self.body[start...]))
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1 << 20
        stage.source.start(at: 0)
        if isSilent {
            try stage.run { _ in server.requests.count == 1 }
            try stage.idle()
            stage.clock.pass(31)
        }
        #expect(stage.readOn() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(
            stage.reasons == [isSilent ? "no answer within 30 s" : "the connection broke"])
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.contains("\r\nRange: bytes=0-\r\n") == true)
        // From then on every request has one.
        stage.source.start(at: 0)
        stage.window.restart(at: 0)
        #expect(stage.readOn() == nil)
        #expect(stage.source.isSeekable && stage.reasons.count == 1)
    }

    @Test func aServerThatAnswersNothingIsAskedForARangeOnce() throws {
        let server = try ScriptedServer { _ in }
        _ = try #require(SourceStage(server).read())
        #expect(server.requests.count > 10)
        #expect(server.requests.count { $0.contains("Range") } == 1)
        #expect(server.requests.dropFirst().first?.contains("Range") == true)
    }

    @Test func cookiesLiveInATransfersRedirects() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.head.contains("Cookie: pass=\(exchange.number)") else {
                return Self.send(
                    exchange, "302 Found",
                    ["Location: /song.mp3", "Set-Cookie: pass=\(exchange.number + 1)"], [])
            }
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\n"
                    + "Content-Range: bytes \(start)-4999/5000\r\n"
                    + "Content-Length: \(5000 - start)\r\n\r\n")
            exchange.send(Array(Self.body[start..<(exchange.number < 2 ? 3000 : 5000)]))
        }
        expectWhole(SourceStage(server), "the connection broke")
        #expect(server.requests.map { $0.contains("Cookie") } == [false, true, false, true])
    }

    // MARK: Passwords

    private func address(_ server: ScriptedServer) -> String {
        "http://singer:secret@127.0.0.1:\(server.port)/song.mp3"
    }

    @Test func aServerMayWantADigest() throws {
        let challenge = #"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#
        let server = try ScriptedServer { exchange in
            let isRight = exchange.head.contains(#"Authorization: Digest username="singer""#)
            Self.send(
                exchange, isRight ? "200 OK" : "401 Unauthorized", isRight ? [] : [challenge],
                isRight ? Self.body : [])
        }
        expectWhole(SourceStage(address(server), of: server))
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.contains("secret") == false)
    }

    /// A server that calls each answer stale is given up at the limit for redirects.
    @Test(arguments: Closing.allCases, [false, true])
    func aWrongDigestIsRefused(closing: Closing, isStale: Bool) throws {
        let server = try ScriptedServer { exchange in
            let challenge = #"WWW-Authenticate: Digest realm="r", nonce="\#(exchange.number)""#
            Self.send(
                exchange, "401 Unauthorized", [challenge + (isStale ? ", stale=true" : "")], [])
            closing.wait(exchange)
        }
        let stage = SourceStage(address(server), of: server)
        let error = try #require(stage.read())
        #expect(error.fault == .network(.status(401)) && stage.reasons.isEmpty)
        #expect(server.requests.count <= (isStale ? 2 * 21 + 1 : 3))
    }

    /// A proxy that refuses every password before a secure connection.
    @Test func aProxyThatAsksForEverIsGivenUp() throws {
        let count = Guarded(0)
        let proxy = try ScriptedServer { exchange in
            repeat {
                count.withLock { $0 += 1 }
                exchange.send(
                    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
                        + "Proxy-Authenticate: Digest realm=\"r\", nonce=\"\(count.withLock { $0 })\""
                        + ", stale=true\r\n\r\n")
            } while exchange.waitForHead()
        }
        setenv("https_proxy", "http://a:b@127.0.0.1:\(proxy.port)", 1)
        defer { unsetenv("https_proxy") }
        let error = try #require(SourceStage("https://example.org/song.mp3").read())
        #expect(error.fault == .network(.status(407, isProxys: true)))
        #expect(count.withLock { $0 } < 30)
    }

    /// Basic needs no challenge, and a wrong password is not tried again in the same way.
    @Test(arguments: [nil, #"WWW-Authenticate: Basic realm="r""#])
    func aWrongPasswordIsTriedOnce(challenge: String?) throws {
        let server = try ScriptedServer { exchange in
            Self.send(exchange, "401 Unauthorized", challenge.map { [$0] } ?? [], [])
        }
        let error = try #require(SourceStage(address(server), of: server).read())
        #expect(error.fault == .network(.status(401)) && server.requests.count == 1)
        #expect(server.requests[0].contains("Authorization: Basic "))
    }

    // MARK: Compressed bodies

    private func gzipped(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("body")
        try Data(bytes).write(to: file)
        return [UInt8](try Tool.run(["gzip", "-c", file.path]))
    }

    private static let gzip = "Content-Encoding: gzip"

    /// The compressed bytes cannot be asked for in parts, so the whole is asked for again.
    @Test func aPackedSongIsResumed() throws {
        let packed = try gzipped(Self.body)
        let server = try ScriptedServer { exchange in
            exchange.send(
                "HTTP/1.1 200 OK\r\n\(Self.gzip)\r\nAccept-Ranges: bytes\r\n"
                    + "Content-Length: \(packed.count)\r\n\r\n")
            exchange.send(exchange.number == 0 ? Array(packed[..<(packed.count / 2)]) : packed)
        }
        let stage = SourceStage(server)
        expectWhole(stage, "the connection broke")
        #expect(server.requests.count == 2 && !server.requests[1].contains("Range"))
        #expect(!stage.source.isSeekable && stage.source.size == 5000)
    }

    /// What is not wanted yet is not unpacked; it is asked for again without a word.
    @Test func aPackedSongThatWePauseIsAskedForAgain() throws {
        let whole = (0..<40).flatMap { _ in Self.body }
        let packed = try gzipped(whole)
        let server = try ScriptedServer { Self.send($0, "200 OK", [Self.gzip], packed) }
        let stage = SourceStage(server)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in stage.source.isPostponed }
        #expect((1000..<100_000).contains(stage.window.end), "\(stage.window.end)")
        stage.source.allowance = 1 << 20
        #expect(stage.readOn() == nil)
        #expect(firstDifference(stage.bytes, whole) == nil)
        #expect(stage.told == [] && server.requests.count == 2)
    }

    @Test func packedLyricsAreRead() throws {
        let text = "[00:01.00]ünë\n[00:02.00]two\n"
        let packed = try gzipped(Array(text.utf8))
        let server = try ScriptedServer { Self.send($0, "200 OK", [Self.gzip], packed) }
        #expect(try LyricsFile.read(Location(server.address("words.lrc"))) == Lyrics(text))
        #expect(server.requests[0].contains("\r\nAccept-Encoding: identity\r\n"))
    }

    /// 200 MB of lyrics in 200 kB: 1 MiB of them is unpacked.
    @Test func aBombEndsAtTheLimit() throws {
        let packed = try [UInt8](
            Tool.run(["sh", "-c", "yes la | head -c 200000000 | gzip -c"]))
        let server = try ScriptedServer { Self.send($0, "200 OK", [Self.gzip], packed) }
        let before = anonymousMemory()
        let lyrics = try LyricsFile.read(Location(server.address("words.lrc")))
        #expect(lyrics.isCut && lyrics.lines.count == Lyrics.maximumLines)
        let grown = anonymousMemory() - before
        #expect(grown < 30 << 20, "\(grown)")
        #expect(server.requests.count == 1)
    }

    @Test func aPackedPlaylistIsRead() throws {
        let song = try MusicFile.mono.bytes
        let packed = try gzipped(Array("#EXTM3U\nsong.mp3\n".utf8))
        let server = try ScriptedServer { exchange in
            let isList = exchange.head.contains("/list.m3u ")
            Self.send(exchange, "200 OK", isList ? [Self.gzip] : [], isList ? packed : song)
        }
        let stage = try SongStage(server.address("list.m3u"), rate: 44_100)
        stage.song.start()
        let heard = stage.renderAll()
        stage.song.stop()
        #expect(firstDifference(heard, try decodeAll(song, chunk: 65_536)) == nil)
    }
}
