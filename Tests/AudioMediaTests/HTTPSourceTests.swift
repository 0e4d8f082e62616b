import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioMedia

/// What an `HTTPSource` does in the course of time: by a clock of the test's own where it can be.
@Suite struct HTTPSourceTests {
    /// Seconds that pass when the test says so.
    private final class HandClock: Sendable {
        private let time = Mutex(0.0)
        var now: Double { time.withLock { $0 } }
        func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    private let clock = HandClock()
    private let window = ByteWindow(limit: 1 << 20)

    private func source(
        _ server: ScriptedServer, limits: NetworkLimits = .standard
    ) -> HTTPSource {
        HTTPSource(
            address: server.address(), name: "song", limits: limits, window: window
        ) { [clock] in clock.now }
    }

    /// Lets the source work, without the clock, until `isDone`; at most 20 s. What it told.
    @discardableResult
    private func run(
        _ source: HTTPSource, until isDone: (SourceNews?) -> Bool
    ) throws -> SourceNews? {
        let end = Date().addingTimeInterval(20)
        while Date() < end {
            let news = try source.advance()
            if isDone(news) { return news }
            source.wait(milliseconds: 5, descriptors: [])
        }
        Issue.record("it never came")
        return nil
    }

    /// Runs until it tries again; the pause before.
    private func pause(_ source: HTTPSource) throws -> Double {
        guard case .retrying(_, _, let delay) = try run(source, until: { $0 != nil }) else {
            return -1
        }
        return delay
    }

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
        let source = source(server)
        source.start(at: 0)
        for expected in [0.5, 1, 2, 4, 8, 10, 10] {
            let delay = try pause(source)
            #expect((0.75 * expected...1.25 * expected).contains(delay), "\(delay)")
            // Not before its time.
            let count = server.requests.count
            clock.pass(delay - 0.01)
            _ = try source.advance()
            source.wait(milliseconds: 1, descriptors: [])
            _ = try source.advance()
            #expect(server.requests.count == count)
            clock.pass(0.02)
        }
    }

    @Test func retryAfterIsObeyed() throws {
        let server = try busy(retryAfter: "7")
        let source = source(server)
        source.start(at: 0)
        #expect(try pause(source) == 7)
        #expect(server.requests.count == 1)
    }

    @Test func retryAfterIsObeyedWithinReason() throws {
        let server = try busy(retryAfter: "3600")
        let source = source(server)
        source.start(at: 0)
        #expect(try pause(source) == NetworkLimits.standard.longestRetryAfter)
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

    /// What becomes of a song whose server sends the first 1000 of 5000 bytes, and then, asked
    /// for the rest, the part from `start` on of `total`.
    private func resumed(at start: Int, of total: Int) throws -> SongError? {
        let server = try ScriptedServer { exchange in
            if exchange.number == 0 {
                Self.sendHead(exchange, from: 0, of: 5000)
                exchange.send([UInt8](repeating: 1, count: 1000))
            } else {
                Self.sendHead(exchange, from: start, of: total)
                exchange.send([UInt8](repeating: 2, count: total - start))
            }
        }
        window.restart(at: 0)
        let source = source(server)
        source.allowance = 1 << 20
        source.start(at: 0)
        clock.pass(try pause(source))
        do {
            try run(source) { _ in source.isAtEnd }
        } catch {
            #expect(window.end == 1000)
            return error as? SongError
        }
        return nil
    }

    @Test func anotherPartThanAskedForIsRefused() throws {
        #expect(try resumed(at: 1000, of: 5000) == nil)
        let error = try #require(try resumed(at: 900, of: 5000))
        #expect(error.exitCode == 74)
        #expect(error.message.contains("another part"), "\(error)")
    }

    @Test func anotherLengthIsAnotherFile() throws {
        for start in [0, 1000] {
            let error = try #require(try resumed(at: start, of: 5001))
            #expect(error.exitCode == 74)
            #expect(error.message.contains("changed"), "\(error)")
        }
    }

    @Test func whatWePauseDoesNotStall() throws {
        let server = try ScriptedServer { exchange in
            Self.sendHead(exchange, from: 0, of: 500_000)
            exchange.send([UInt8](repeating: 1, count: 500_000))
            exchange.waitForClient()
        }
        let source = source(server)
        source.allowance = 1000
        source.start(at: 0)
        try run(source) { _ in source.isHolding }
        for _ in 0..<20 {
            clock.pass(100)
            #expect(try source.advance() == nil)
            source.wait(milliseconds: 1, descriptors: [])
        }
        source.allowance = 1 << 20
        try run(source) { _ in source.isAtEnd }
        #expect(window.end == 500_000)
        #expect(server.requests.count == 1)
    }

    @Test func aServerThatWillNotBeHeldIsAskedAgain() throws {
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            Self.sendHead(exchange, from: start, of: 400_000)
            let count = start == 0 ? 200_000 : 400_000 - start
            exchange.send([UInt8](repeating: 1, count: count))
        }
        let source = source(server)
        source.allowance = 1000
        source.start(at: 0)
        try run(source) { _ in source.isHolding }
        source.allowance = 1 << 20
        // Not told: it is no fault.
        #expect(try run(source) { $0 != nil || source.isAtEnd } == nil)
        #expect(window.end == 400_000)
        #expect(server.requests.count == 2)
    }

    @Test func aStallLongAfterAPauseIsTold() throws {
        let server = try ScriptedServer { exchange in
            Self.sendHead(exchange, from: 0, of: 500_000)
            exchange.send([UInt8](repeating: 1, count: 200_000))
            exchange.waitForClient()
        }
        let source = source(server)
        source.allowance = 1000
        source.start(at: 0)
        try run(source) { _ in source.isHolding }
        source.allowance = 1 << 20
        try run(source) { _ in window.end == 200_000 }
        // A few rounds in which nothing comes.
        for _ in 0..<5 {
            #expect(try source.advance() == nil)
            source.wait(milliseconds: 1, descriptors: [])
        }
        clock.pass(6)
        #expect(
            try run(source) { $0 != nil }.map {
                if case .retrying(1, "nothing came any more", _) = $0 { true } else { false }
            } == true)
    }

    @Test func headersAreSignsOfLife() throws {
        let server = try ScriptedServer { [clock] exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n")
            for number in 0..<5 {
                // Together more than a stall: each of them is not.
                clock.pass(2)
                exchange.send("X-Number: \(number)\r\n")
                usleep(50_000)
            }
            exchange.send("\r\n")
            exchange.send([UInt8](repeating: 1, count: 1000))
        }
        let source = source(server)
        source.allowance = 1 << 20
        source.start(at: 0)
        #expect(try run(source) { $0 != nil || source.isAtEnd } == nil)
        #expect(server.requests.count == 1)
    }

    @Test func aRedirectsNextHopHasTimeToConnect() throws {
        let deaf = try DeafListener()
        let server = try ScriptedServer { exchange in
            exchange.send(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(deaf.port)/song.mp3\r\n"
                    + "Content-Length: 0\r\n\r\n")
        }
        var limits = NetworkLimits.standard
        limits.connect = 1
        limits.stall = 0.2
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let error = try #require(stage.log.failure())
        #expect(error.message.contains("no connection within 1 s"), "\(error)")
        #expect(!stage.log.all.contains { if case .reconnecting = $0 { true } else { false } })
        stage.song.stop()
    }

    @Test func aRedirectsNextHopMayStall() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else { return exchange.waitForClient() }
            exchange.send(
                "HTTP/1.1 302 Found\r\nLocation: /song.mp3\r\nConnection: close\r\n"
                    + "Content-Length: 0\r\n\r\n")
        }
        let source = source(server)
        source.start(at: 0)
        try run(source) { _ in server.requests.count == 2 }
        for _ in 0..<5 {
            #expect(try source.advance() == nil)
            source.wait(milliseconds: 1, descriptors: [])
        }
        clock.pass(6)
        #expect(try pause(source) > 0)
    }
}
