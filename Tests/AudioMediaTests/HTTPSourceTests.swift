import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The timing of an `HTTPSource`, where possible by a clock that the test sets.
@Suite(.ownProcess("a web server")) struct HTTPSourceTests {
    private func busy(retryAfter: String? = nil) throws -> ScriptedServer {
        try ScriptedServer { exchange in
            exchange.send(
                "HTTP/1.1 503 Service Unavailable\r\n"
                    + (retryAfter.map { "Retry-After: \($0)\r\n" } ?? "")
                    + "Content-Length: 0\r\n\r\n")
        }
    }

    @Test func pausesDoubleUpToTheLongest() throws {
        let server = try busy()
        let stage = SourceStage(server)
        let source = stage.source
        source.start(at: 0)
        for expected in [0.5, 1, 2, 4, 8, 10, 10] {
            let delay = try stage.pause()
            #expect((0.75 * expected...1.25 * expected).contains(delay), "\(delay)")
            // It does not ask again before the pause is over.
            let count = server.requests.count
            stage.clock.pass(delay - 0.01)
            _ = try source.advance()
            source.wait(milliseconds: 1, descriptors: [])
            _ = try source.advance()
            #expect(server.requests.count == count)
            stage.clock.pass(0.02)
        }
    }

    @Test func retryAfterIsObeyed() throws {
        let server = try busy(retryAfter: "7")
        let stage = SourceStage(server)
        stage.source.start(at: 0)
        #expect(try stage.pause() == 7)
        #expect(server.requests.count == 1)
    }

    @Test func retryAfterMayBeADate() throws {
        let date = DateFormatter()
        date.locale = Locale(identifier: "en_US_POSIX")
        date.timeZone = TimeZone(identifier: "GMT")
        date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let server = try busy(retryAfter: date.string(from: Date(timeIntervalSinceNow: 20)))
        let stage = SourceStage(server)
        stage.source.start(at: 0)
        #expect((15...20).contains(try stage.pause()))
    }

    @Test(arguments: [
        "3600", "2147483648", "9223372036854775807", "18446744073709551616",
        "340282366920938463463374607431768211456",
    ]) func retryAfterIsObeyedWithinReason(seconds: String) throws {
        let server = try busy(retryAfter: seconds)
        let stage = SourceStage(server)
        stage.source.start(at: 0)
        // libcurl ignores a value beyond 2^63, and the pause is our own.
        let pause = try stage.pause()
        #expect(
            pause == NetworkLimits.standard.longestRetryAfter
                || seconds.count > 19 && (0.375...0.625).contains(pause))
        #expect(server.requests.count == 1)
    }

    /// Sends the head of an answer with a body of `total` bytes, from `start` on.
    private static func sendHead(
        _ exchange: ScriptedServer.Exchange, from start: Int, of total: Int
    ) {
        exchange.send(
            "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")\r\n"
                + "Content-Range: bytes \(start)-\(total - 1)/\(total)\r\n"
                + "Content-Length: \(total - start)\r\n\r\n")
    }

    @Test func aPausedTransferDoesNotStall() throws {
        let server = try ScriptedServer { exchange in
            Self.sendHead(exchange, from: 0, of: 500_000)
            exchange.send([UInt8](repeating: 1, count: 500_000))
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        let source = stage.source
        source.allowance = 1000
        source.start(at: 0)
        try stage.run { _ in source.isHolding }
        for _ in 0..<20 {
            stage.clock.pass(100)
            #expect(try source.advance() == [])
            source.wait(milliseconds: 1, descriptors: [])
        }
        source.allowance = 1 << 20
        try stage.run { _ in source.isAtEnd }
        #expect(stage.window.end == 500_000)
        #expect(server.requests.count == 1)
    }

    @Test func aServerThatClosesDuringAPauseIsAskedAgain() throws {
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            Self.sendHead(exchange, from: start, of: 400_000)
            let count = start == 0 ? 200_000 : 400_000 - start
            exchange.send([UInt8](repeating: 1, count: count))
        }
        let stage = SourceStage(server)
        let source = stage.source
        source.allowance = 1000
        source.start(at: 0)
        try stage.run { _ in source.isHolding }
        source.allowance = 1 << 20
        // No retry is told: the server may close a transfer that we paused.
        #expect(try stage.run { !$0.isEmpty || source.isAtEnd } == [])
        #expect(stage.window.end == 400_000)
        #expect(server.requests.count == 2)
    }

    @Test func aStallLongAfterAPauseIsTold() throws {
        let server = try ScriptedServer { exchange in
            Self.sendHead(exchange, from: 0, of: 500_000)
            exchange.send([UInt8](repeating: 1, count: 200_000))
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        let source = stage.source
        source.allowance = 1000
        source.start(at: 0)
        try stage.run { _ in source.isHolding }
        source.allowance = 1 << 20
        try stage.run { _ in stage.window.end == 200_000 }
        // After rounds without a byte the pause no longer excuses an end.
        try stage.idle()
        stage.clock.pass(6)
        #expect(try stage.pause() > 0)
        #expect(stage.reasons == ["no more data came"])
    }

    @Test func headersAreSignsOfLife() throws {
        let gate = DispatchSemaphore(value: 1)
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n")
            for number in 0..<5 {
                gate.wait()
                exchange.send("X-Number: \(number)\r\n")
            }
            exchange.send("\r\n")
            exchange.send([UInt8](repeating: 1, count: 1000))
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1 << 20
        stage.source.start(at: 0)
        // The headers take longer than a stall together, but not each of them.
        let told = try run(stage, every: 4, gate, of: \.request.headBytes) { $0.isAtEnd }
        #expect(told == [])
        #expect(stage.clock.now > 15)
        #expect(server.requests.count == 1)
    }

    /// Runs a source whose server waits for `gate` before it goes on; `seconds` pass whenever
    /// `progress` has changed. Returns the news that the source told last.
    private func run(
        _ stage: SourceStage, every seconds: Double, _ gate: DispatchSemaphore,
        of progress: (HTTPSource) -> Int, until isDone: (HTTPSource) -> Bool
    ) throws -> [SourceNews] {
        var seen = progress(stage.source)
        return try stage.run { news in
            for case .retrying(let retry) in news { stage.clock.pass(retry.delay + 0.001) }
            if progress(stage.source) != seen {
                seen = progress(stage.source)
                stage.clock.pass(seconds)
                gate.signal()
            }
            return isDone(stage.source)
        }
    }

    @Test func aRedirectsNextHopHasTimeToConnect() throws {
        let deaf = try DeafListener()
        let server = try ScriptedServer { exchange in
            exchange.send(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(deaf.port)/song.mp3\r\n"
                    + "Content-Length: 0\r\n\r\n")
        }
        var limits = NetworkLimits.standard
        (limits.connect, limits.stall, limits.giveUp) = (1, 0.2, 0.5)
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let error = try #require(stage.log.failure())
        #expect(error.description.contains("no connection within 1 s"), "\(error)")
        #expect(!stage.log.all.contains { if case .reconnecting = $0 { true } else { false } })
        stage.song.stop()
    }

    @Test func aRedirectsNextHopHasTimeToAnswer() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else { return exchange.waitForClient() }
            exchange.send(
                "HTTP/1.1 302 Found\r\nLocation: /song.mp3\r\nConnection: close\r\n"
                    + "Content-Length: 0\r\n\r\n")
        }
        let stage = SourceStage(server)
        let source = stage.source
        source.start(at: 0)
        try stage.run { _ in server.requests.count == 2 }
        try expectWithin30Seconds(stage)
    }

    /// Expects that a transfer which is connected is waited for, and no longer than 30 s in all.
    private func expectWithin30Seconds(_ stage: SourceStage) throws {
        try stage.idle()
        stage.clock.pass(29)
        try stage.idle()
        #expect(stage.told == [])
        stage.clock.pass(2)
        #expect(try stage.pause() > 0)
        #expect(stage.reasons == ["no answer within 30 s"])
    }

    /// A server that transcodes sends nothing for a while: before its head, or behind it.
    @Test(arguments: [false, true]) func theFirstByteMayTakeHalfAMinute(hasHead: Bool) throws {
        let server = try ScriptedServer { exchange in
            if hasHead { exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in
            server.requests.count == 1 && stage.source.request.isHeadComplete == hasHead
        }
        try expectWithin30Seconds(stage)
    }

    @Test func afterTheFirstByteSilenceIsAStall() throws {
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n.")
            exchange.waitForClient()
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in stage.window.end == 1 }
        stage.clock.pass(6)
        #expect(try stage.pause() > 0)
        #expect(stage.reasons == ["no more data came"])
    }

    @Test func aHeadThatNeverEndsIsGivenUp() throws {
        let gate = DispatchSemaphore(value: 1)
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n")
            repeat { gate.wait() } while exchange.send(Array("X-Slow: 1\r\n".utf8))
        }
        let stage = SourceStage(server)
        stage.source.start(at: 0)
        // The server sends headers again and again, and never ends the head.
        _ = try run(stage, every: 4, gate, of: \.request.headBytes) { _ in !stage.told.isEmpty }
        #expect(stage.reasons == ["no answer within 30 s"])
        stage.source.stop()
        for _ in 0..<3 { gate.signal() }
    }

    @Test func aSongIsGivenUpAfterAMinuteWithoutAByte() throws {
        let stage = SourceStage(try busy())
        let error = try #require(stage.read())
        #expect(error.hadBegun == false)
        #expect((60...61).contains(stage.clock.now), "\(stage.clock.now)")
    }

    /// An address at which nobody listens.
    private func nowhere() throws -> String {
        "http://127.0.0.1:\(try Listener.freePort())/song.mp3"
    }

    /// As long as a song has whose list has others.
    private var patient: NetworkLimits {
        var limits = NetworkLimits.standard
        limits.giveUpNowhere = limits.giveUp
        return limits
    }

    /// What was never reached is a typing mistake, as far as can be known. The error names the port.
    @Test(arguments: ["http://127.0.0.1:PORT/song.mp3", "http://u:p@127.0.0.1:PORT"])
    func whatLeadsNowhereIsGivenUpAfterTenSeconds(address: String) throws {
        let port = try Listener.freePort()
        let stage = SourceStage(address.replacing("PORT", with: "\(port)"))
        let error = try #require(stage.read())
        #expect(
            error.fault
                == .network(.notConnected(to: "127.0.0.1:\(port)", reason: "connection refused")))
        #expect((10...11).contains(stage.clock.now), "\(stage.clock.now)")
    }

    /// Where others follow, nobody's answer is not the song's fault for a minute.
    @Test func anAbsentServerIsAskedForAMinute() throws {
        let stage = SourceStage(try nowhere(), limits: patient)
        _ = try #require(stage.read())
        #expect((60...61).contains(stage.clock.now), "\(stage.clock.now)")
        // While this machine reaches nobody, the pauses grow to 3 s.
        let delays = stage.delays.dropLast()
        #expect((20...35).contains(delays.count) && delays.allSatisfy { $0 <= 3.75 }, "\(delays)")
    }

    /// Other servers answer, so this one is asked less often.
    @Test func aServerThatIsAwayAloneIsAskedLessOften() throws {
        let stage = SourceStage(try nowhere(), limits: patient)
        _ = stage.read {
            stage.reach.note()
            return stage.delays.count >= 8
        }
        #expect((7.5...12.5).contains(try #require(stage.delays.last)), "\(stage.delays)")
        // What comes from the server itself counts, too.
        let answered = SourceStage(try busy())
        let count = answered.reach.count
        answered.source.start(at: 0)
        _ = try answered.pause()
        #expect(answered.reach.count > count)
    }

    /// The reader has bytes left for a long time, and then none.
    @Test func aSongIsGivenUpAMinuteAfterItRanDry() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else { return }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            exchange.send([UInt8](repeating: 1, count: 1000))
        }
        let stage = SourceStage(server)
        stage.readsOn = false
        #expect(stage.read { stage.clock.now > 600 } == nil)
        let start = stage.clock.now
        stage.readsOn = true
        let error = try #require(stage.readOn())
        #expect(error.hadBegun && error.fault == .network(.broken))
        #expect((60...61).contains(stage.clock.now - start), "\(stage.clock.now - start)")
        // It was asked for all the time, and not more often than every 2.25 s.
        #expect((150...300).contains(server.requests.count), "\(server.requests.count)")
    }

    @Test func readingAgainDoesNotCountAsWaiting() throws {
        let gate = DispatchSemaphore(value: 0)
        let body = [UInt8](repeating: 1, count: 100_000)
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n")
            guard exchange.number > 0 else {
                exchange.send(Array(body[..<50_000]))
                return
            }
            for _ in 0..<20 {
                exchange.send(Array(body[..<2500]))
                gate.wait()
            }
            if exchange.number == 2 { exchange.send(Array(body[..<50_000])) }
        }
        let stage = SourceStage(server)
        stage.source.allowance = 1 << 20
        stage.source.start(at: 0)
        // Two times it takes 80 s to reach the place where the transfer broke.
        let offset = { (source: HTTPSource) in
            server.requests.count > 1 ? Int(source.bodyOffset ?? 0) : 0
        }
        _ = try run(stage, every: 4, gate, of: offset) { $0.isAtEnd }
        #expect(firstDifference(stage.bytes, body) == nil)
        #expect(stage.clock.now > 160)
        #expect(stage.reasons == ["the connection broke", "the connection broke"])
    }

    @Test func noConnectionIsGivenUpByTheClock() throws {
        let deaf = try DeafListener()
        let stage = SourceStage("http://127.0.0.1:\(deaf.port)/song.mp3", of: deaf)
        stage.source.start(at: 0)
        try stage.idle()
        stage.clock.pass(10.1)
        // The source gives up at once, not when libcurl's own timer ends.
        let news = try stage.source.advance()
        guard case .retrying(let retry)? = news.first else {
            return _ = Issue.record("\(news)")
        }
        #expect(retry.attempt == 1 && retry.fault == .noConnectionWithin(10))
    }

    @Test func aFileThatChangesUnderARealServerIsAnother() throws {
        let folder = try TemporaryFolder()
        func write(_ byte: UInt8) throws {
            let file = folder.url.appendingPathComponent("song.mp3")
            try Data(repeating: byte, count: 4 << 20).write(to: file, options: .atomic)
            let date = Date(timeIntervalSince1970: 1.7e9 + 10 * Double(byte))
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: file.path)
        }
        try write(1)
        let server = try FileServer(root: folder.url)
        let stage = SourceStage(server.url("song.mp3"), of: server)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in stage.source.isHolding }
        // A request for the rest of the same file goes on with it.
        stage.source.stop()
        stage.source.start(at: stage.window.end)
        stage.source.allowance = 1000
        try stage.run { _ in stage.source.isHolding }
        #expect(stage.source.isSeekable)
        let count = stage.window.end
        #expect(count > 1000)
        stage.source.stop()
        try write(2)
        stage.source.start(at: count)
        stage.source.allowance = 1 << 20
        let error = try #require(stage.readOn())
        #expect(error.description.contains("changed"))
        #expect(stage.window.end == count)
    }
}
