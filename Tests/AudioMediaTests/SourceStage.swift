import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// An `HTTPSource` whose clock is set by the test.
final class SourceStage {
    /// A clock that stands still until the test moves it on.
    final class HandClock: Sendable {
        private let time = Guarded(0.0)
        var now: Double { time.withLock { $0 } }
        func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    let clock: HandClock
    let window = ByteWindow(limit: 16 << 20)
    let source: HTTPSource
    /// What other transfers of the process reach.
    let reach = NetworkReach()
    /// Whether the reader uses up at once what comes.
    var readsOn = true
    private let server: AnyObject?
    /// All news that the source has told so far.
    private(set) var told: [SourceNews] = []

    convenience init(_ server: ScriptedServer) { self.init(server.address(), of: server) }

    /// A source of `address`; keeps `server` alive.
    init(_ address: String, of server: AnyObject? = nil, limits: NetworkLimits = .standard) {
        let clock = HandClock()
        self.clock = clock
        self.server = server
        source = HTTPSource(
            address: address, name: "song", limits: limits, window: window,
            clock: { clock.now }, reach: reach)
    }

    /// Lets the source work, while its clock stands, until its news satisfy `isDone`; at most 20 s.
    /// Returns that news.
    @discardableResult
    func run(until isDone: ([SourceNews]) -> Bool) throws -> [SourceNews] {
        let end = Date().addingTimeInterval(20)
        while Date() < end {
            if readsOn { source.noteDry() }
            let news = try source.advance()
            told += news
            if isDone(news) { return news }
            source.wait(milliseconds: 5, descriptors: [])
        }
        Issue.record("it never came")
        return []
    }

    /// Lets the source work for a few rounds in which no news is expected.
    func idle() throws {
        for _ in 0..<5 {
            told += try source.advance()
            source.wait(milliseconds: 1, descriptors: [])
        }
    }

    /// Runs until the source pauses before a retry; returns the length of that pause.
    func pause() throws -> Double {
        guard case .retrying(let retry)? = try run(until: { !$0.isEmpty }).last else { return -1 }
        return retry.delay
    }

    /// Reads from the beginning to the end, or until `isEnough`; every pause before a retry passes
    /// at once. Returns why the song was lost, if it was.
    func read(until isEnough: () -> Bool = { false }) -> SongError? {
        source.allowance = 16 << 20
        source.start(at: 0)
        return readOn(until: isEnough)
    }

    /// Reads like `read`, but from the present position on.
    func readOn(until isEnough: () -> Bool = { false }) -> SongError? {
        do {
            try run { news in
                for case .retrying(let retry) in news { clock.pass(retry.delay + 0.001) }
                return source.isAtEnd || isEnough()
            }
        } catch {
            return error as? SongError
        }
        return nil
    }

    /// The reasons of all retries so far.
    var reasons: [String] {
        told.compactMap {
            if case .retrying(let retry) = $0 { retry.fault.description } else { nil }
        }
    }

    /// The pauses before all retries so far.
    var delays: [Double] {
        told.compactMap { if case .retrying(let retry) = $0 { retry.delay } else { nil } }
    }

    /// The bytes in the window.
    var bytes: [UInt8] {
        var result: [UInt8] = []
        while true {
            let part = window.bytes(at: window.start + Int64(result.count), limit: 1 << 20)
            if part.isEmpty { return result }
            result += part
        }
    }
}
