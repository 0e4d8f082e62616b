import AudioGraph
import CJack
import CRealtime
import Glibc
import SystemSupport

/// Brings back a client whose server was lost, or that left its server for a while. Tries again and
/// again on a thread of its own, since a server that hangs may block that thread for ever.
///
/// A private server is started again. The client gets its earlier name. Where that name is still
/// taken, as by the lost client that the server has not yet noticed to be gone, the name is waited
/// for, but no more than about 5 s.
///
/// Used by the control thread.
public final class Reopening {
    /// The reopened client, not yet active, and the private server that was started for it, if any.
    public struct Return {
        public let client: JackClient
        public let privateServer: PrivateServer?
    }

    /// Milliseconds between two tries. The pause grows when other programs can see the tries.
    private static let pauses = (first: 100, longest: 2000)
    /// How long to wait for a taken name, in seconds.
    private static let patience = 5.0

    private final class Shared: Sendable {
        // Safety: `Return` goes from the thread that makes it to the one that takes it.
        struct News: @unchecked Sendable {
            var warnings: [JackWarning] = []
            var found: Return?
        }
        private let news = Guarded(News())
        /// Set by `stop`: the client is not wanted any more.
        let end: EventFlag
        /// Set when the thread makes no further try.
        let stopped: EventFlag
        /// Set when there is something for `take` to return.
        let hasNews: EventFlag

        /// Nil when the process has no descriptor left; errno is then set.
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

    /// Readable (poll(2)) when `take` has something to return.
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

    /// Ends the tries, and closes a reopened client that `take` has not returned. Waits up to
    /// `milliseconds` for a try under way, and up to 5 s for the end of a private server that was
    /// started and that `take` has not returned.
    public func stop(milliseconds: Int) {
        shared.end.set()
        _ = shared.stopped.wait(milliseconds: milliseconds)
        _ = take()
    }

    /// New warnings about the server and the tries, and the client when it is back. Each warning
    /// and the client are returned once.
    public func take() -> (warnings: [JackWarning], found: Return?) {
        let news = shared.take()
        return (news.warnings, news.found)
    }

    private static func run(_ lost: LostClient, startsServer: Bool, _ shared: Shared) {
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
                // The warning named the log of the first failure; later logs are removed.
                case .privateServerFailed(_, _, _, let log): unsafe unlink(log)
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
            // Waits without limit for a server that hangs: each further try would leave a thread
            // behind.
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
