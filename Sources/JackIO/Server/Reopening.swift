import AudioGraph
import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// Brings a client back whose server was lost, or that left it for a while: tries again and again,
/// on a thread of its own, since a server that hangs may hold it for ever.
///
/// A private server is started again. The name is that of before: one that is still taken, as by
/// what the server has not noticed to be gone, is waited for, but no more than about 5 s.
///
/// Used by the control thread.
public final class Reopening {
    /// The client that is back, not yet active, and the server that was started for it.
    public struct Return {
        public let client: JackClient
        public let privateServer: PrivateServer?
    }

    /// Milliseconds between two tries: what others see of a try makes the next ones rarer.
    private static let pauses = (first: 100, longest: 2000)
    /// How long a taken name is waited for, in seconds.
    private static let patience = 5.0
    /// How long libjack may take to let the lost client go: with another client of this process
    /// it keeps what it knows of the lost server.
    private static let closing = 5000

    private final class Shared: Sendable {
        // Safety: `Return` goes from the thread that makes it to the one that takes it.
        struct News: @unchecked Sendable {
            var warnings: [JackWarning] = []
            var found: Return?
        }
        private let news = Mutex(News())
        /// Set when nobody wants the client any more.
        let end: EventFlag
        /// Set when nothing is tried any more.
        let stopped: EventFlag
        /// Set when there is something to take.
        let hasNews: EventFlag

        /// Nil when the process has no descriptor left; errno says so.
        init?() {
            guard let end = EventFlag(), let stopped = EventFlag(), let hasNews = EventFlag() else {
                return nil
            }
            (self.end, self.stopped, self.hasNews) = (end, stopped, hasNews)
        }

        func tell(_ change: (inout News) -> Void) {
            news.withLock { change(&$0) }
            hasNews.set()
        }

        func take() -> News {
            hasNews.clear()
            return news.withLock { news in
                defer { news = News() }
                return news
            }
        }
    }

    private let shared: Shared

    /// Readable when there is something to take.
    public var eventDescriptor: Int32 { shared.hasNews.descriptor }

    /// Begins to try.
    ///
    /// - Parameters:
    ///   - lost: the client to bring back.
    ///   - startsServer: whether the lost server was a private one, to be started again.
    public init(_ lost: LostClient, startsServer: Bool) throws(JackError) {
        let attempt = "waiting for the JACK server"
        guard let shared = Shared() else { throw .system(attempt: attempt, code: errno) }
        self.shared = shared
        let code = DetachedThread.start("jack-reopen") {
            Self.run(lost, startsServer: startsServer, shared)
            shared.stopped.set()
        }
        guard code == 0 else { throw .system(attempt: attempt, code: code) }
    }

    deinit { shared.end.set() }

    /// Tries no more, and closes a client that is back and was not taken. Waits up to
    /// `milliseconds` for a try under way, and up to 5 s for the end of a private server that was
    /// started and not taken.
    public func stop(milliseconds: Int) {
        shared.end.set()
        _ = shared.stopped.wait(milliseconds: milliseconds)
        _ = take()
    }

    /// What is wrong with the server, or with bringing the client back, and the client when it is;
    /// all once only.
    public func take() -> (warnings: [JackWarning], found: Return?) {
        let news = shared.take()
        return (news.warnings, news.found)
    }

    private static func run(_ lost: LostClient, startsServer: Bool, _ shared: Shared) {
        _ = lost.closing?.wait(milliseconds: closing)
        guard !shared.end.wait(milliseconds: 0) else { return }
        var lost = lost
        var pause = pauses.first
        var nameWasTaken: Double?
        var (wasRefused, hasFailed) = (false, false)
        while true {
            if let nameWasTaken {
                lost.takesAnyName = monotonicSeconds() - nameWasTaken >= patience
            }
            do throws(JackError) {
                let found = try open(lost, startsServer: startsServer, shared)
                shared.tell { $0.found = found }
                return
            } catch {
                switch error {
                case .stopped: return
                case .noServer:
                    pause = pauses.first
                    nameWasTaken = nil
                    lost.takesAnyName = false
                case .refused(_, _, let status) where status & JackNameNotUnique.rawValue != 0:
                    nameWasTaken = nameWasTaken ?? monotonicSeconds()
                // A server that has only just started may not answer its first client in time.
                case .refused where !wasRefused: wasRefused = true
                case _ where !hasFailed:
                    hasFailed = true
                    shared.tell { $0.warnings.append(.serverNotBack(error)) }
                // Only the log that the warning names is kept.
                case .privateServerFailed(_, _, let log): unsafe unlink(log)
                default: break
                }
            }
            guard !shared.end.wait(milliseconds: pause) else { return }
            pause = min(2 * pause, pauses.longest)
        }
    }

    private static func open(
        _ lost: LostClient, startsServer: Bool, _ shared: Shared
    ) throws(JackError) -> Return {
        let isUnwanted = { shared.end.wait(milliseconds: 0) }
        do throws(JackError) {
            // A server that hangs is waited for: each other try would leave a thread behind.
            let client = try JackClient.open(
                lost.configuration, server: lost.server, after: lost, milliseconds: -1,
                unless: isUnwanted)
            return Return(client: client, privateServer: nil)
        } catch {
            guard startsServer, case .noServer = error else { throw error }
        }
        let (client, server) = try ServerChoice(name: lost.server).openPrivately(
            lost.configuration, after: lost, say: { _ in },
            warn: { warning in shared.tell { $0.warnings.append(warning) } },
            unless: isUnwanted)
        return Return(client: client, privateServer: server)
    }
}
