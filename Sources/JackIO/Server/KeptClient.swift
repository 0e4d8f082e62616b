import AudioGraph
import CJack
import Glibc
import SystemSupport

/// A JACK client that outlives its server. When the server is lost, or the program leaves it for a
/// while, another client is opened as soon as a server of that name is there: with the same name,
/// ports and connections. A private server is started again.
///
/// `activate` starts the cycles. Call `update` whenever one of `descriptors` is readable, and when
/// `secondsLeft` are over. When the server is lost it returns `shutdown`, and the client is closed;
/// when another client is open it returns `back`: then `activate` it, with a graph of the rate that
/// `client` has now. The same graph can go on where it was.
///
/// ```swift
/// for event in try kept.update() {
///     switch event {
///     case .back: try kept.activate(rendering: graph(for: kept.client.sampleRate))
///     case .shutdown(let reason): print("\(reason); waiting for it")
///     default: break
///     }
/// }
/// ```
///
/// Belongs to one control thread.
public final class KeptClient {
    /// The present client, or the last one while there is none.
    public private(set) var client: JackClient
    /// The server that was started for the client, to be stopped after `close`; nil: none was.
    public private(set) var privateServer: PrivateServer?
    /// Whether a lost server is to be started again: the first one was private.
    private let startsServer: Bool
    /// How long a lost server is waited for, in seconds.
    private let patience: Double
    private var state = State.present

    /// After `comeBack`: how long the client may be away before the server counts as lost, in
    /// seconds.
    private static let grace = 2.0

    private enum State {
        /// The client is on its server, as far as is known.
        case present
        /// The client is closed, and there is no other.
        case absent(Absence)
        /// Another client is open, and not active yet.
        case back(Absence)
    }

    /// A time without a client.
    private struct Absence {
        /// The closed client, whose name, ports and connections the next one gets.
        let client: LostClient
        /// When the server was lost, in seconds of the clock. After `leave`: when it counts as lost
        /// if the client is not back by then.
        var lossTime: Double
        var isLost: Bool
        /// Whether the next client's connections are to stay as they are.
        var keepsWires = false
        /// What brings the client back; nil after `leave`.
        var tries: Tries?
        /// Why nothing brings the client back.
        var failure: JackError?
    }

    /// - Parameters:
    ///   - client: open, and not active yet.
    ///   - privateServer: the server that was started for the client, as `ServerChoice.open` returns
    ///     it; default nil.
    ///   - patience: how long a lost server is waited for, in seconds; 0: not at all; default: for
    ///     ever.
    public init(
        _ client: JackClient, privateServer: PrivateServer? = nil, patience: Double = .infinity
    ) {
        self.client = client
        self.privateServer = privateServer
        startsServer = privateServer != nil
        self.patience = patience
    }

    // MARK: State

    private var absence: Absence? { if case .absent(let absence) = state { absence } else { nil } }

    /// Whether the client is on a server that was not lost; the server may hang.
    public var isPresent: Bool { absence == nil }

    /// Whether the server was lost, or `leave` was too long ago, and no other client is there.
    public var isLost: Bool { absence?.isLost ?? false }

    /// Whether a lost server is waited for; false: the next `update` throws.
    public var isAwaited: Bool { patience > 0 && absence?.failure == nil }

    /// The connections of the client's ports, as `JackClient.wires`, or those that it gets when it is
    /// back.
    public var wires: Set<JackWire> { absence?.client.wires ?? client.wires }

    /// Keeps these connections from now on, and makes none that a selection would choose.
    public func keepWires() {
        guard var absence else { return client.keepWires() }
        absence.keepsWires = true
        state = .absent(absence)
    }

    /// Readable (poll(2)) when `update` has something to do; negative numbers are no descriptors.
    public var descriptors: [Int32] {
        absence.map { [$0.tries?.eventDescriptor ?? -1] }
            ?? [client.eventDescriptor, client.lifeline]
    }

    /// Seconds until a lost server is no longer waited for; infinite while none is.
    public var secondsLeft: Double {
        absence.map { $0.lossTime + patience - monotonicSeconds() } ?? .infinity
    }

    // MARK: On the server

    /// Starts the cycles of the client, as `JackClient.activate`. jackd refuses a client whose first
    /// cycle does not come within 20 periods (`JackEngine::ClientActivate`), as on a machine that is
    /// busy for a moment: then another client is opened, once; but not after `back`.
    ///
    /// - Throws: as `JackClient.activate` and `open`. After `back` call `lose` then, which begins
    ///   again.
    public func activate(
        rendering graph: Graph, unless isCancelled: () -> Bool = { false }
    ) throws(JackError) {
        do throws(JackError) {
            try client.activate(rendering: graph, unless: isCancelled)
        } catch {
            guard case .activationFailed = error, case .present = state else { throw error }
            // A private server ends with its last client: one without ports stays meanwhile.
            let stays =
                privateServer == nil
                ? nil
                : try? JackClient.open(
                    JackConfiguration(name: client.name, microphone: .none, outputs: .none),
                    server: client.server, unless: isCancelled)
            defer { stays?.close() }
            guard client.close() else { throw error }
            do throws(JackError) {
                client = try JackClient.open(
                    client.configuration, server: client.server, after: client.lost,
                    unless: isCancelled)
            } catch {
                var absence = Absence(
                    client: client.lost, lossTime: monotonicSeconds(), isLost: true)
                absence.failure = error
                state = .absent(absence)
                throw error
            }
            try client.activate(rendering: graph, unless: isCancelled)
        }
        state = .present
    }

    /// Looks after the client.
    ///
    /// - Returns: what JACK has told the client since the last call; while there is none, warnings
    ///   about the server and the tries to bring the client back, and at last `back`.
    /// - Throws: `noServerCameBack` when a lost server was waited for in vain, `serverLost` when it
    ///   is not waited for, `system` when it cannot be.
    public func update() throws(JackError) -> [JackEvent] {
        guard var absence else {
            let events = client.drainEvents()
            if case .shutdown(let reason)? = events.last { lose(because: reason) }
            return events
        }
        if let failure = absence.failure { throw failure }
        guard let (warnings, found) = absence.tries?.take() else { return [] }
        var events = warnings.map { JackEvent.warning($0) }
        if let found {
            client = found.client
            if absence.keepsWires { client.keepWires() }
            privateServer = found.privateServer ?? privateServer
            absence.tries = nil
            state = .back(absence)
            events.append(.back)
            return events
        }
        let now = monotonicSeconds()
        if !absence.isLost, now >= absence.lossTime {
            absence.isLost = true
            state = .absent(absence)
        } else if events.isEmpty, now >= absence.lossTime + patience {
            throw patience > 0
                ? .noServerCameBack(name: client.server, seconds: patience)
                : .serverLost(reason: "the JACK server has ended")
        }
        return events
    }

    // MARK: Away

    /// Closes the client as `update` does when its server is lost, and begins to bring it back in the
    /// background. For a program that has lost the server in another way, or cannot go on after
    /// `back`. Does nothing while the client is away.
    public func lose(because reason: String) {
        let now = monotonicSeconds()
        var (lossTime, isLost) = (now, true)
        switch state {
        case .present: break
        case .back(let absence):
            (lossTime, isLost) = (absence.lossTime, absence.isLost || now >= absence.lossTime)
        case .absent: return
        }
        // While a cycle does not end no other client may render the same graph.
        let isFree = client.close()
        var absence = Absence(client: client.lost, lossTime: lossTime, isLost: isLost)
        if isFree, patience > 0 {
            // The private server may still run, and would accept the next client.
            begin(&absence, stopping: privateServer)
        } else {
            absence.failure = .serverLost(reason: reason)
        }
        state = .absent(absence)
    }

    /// Fades out and closes the client, as before this process is stopped: jackd waits for each of
    /// its clients, and may wait for ever for a stopped one, even when it is deactivated. `comeBack`
    /// brings it back.
    ///
    /// Bounded: takes about three seconds where libjack hangs, and a second for a try to bring the
    /// client back; where that try has just started a private server, up to 5 s more until the server
    /// has ended.
    ///
    /// - Returns: false when a cycle does not end: no other client may render the same graph.
    public func leave() -> Bool {
        if var absence {
            absence.tries?.stop(milliseconds: 1000)
            absence.tries = nil
            state = .absent(absence)
            return true
        }
        guard client.close() else { return false }
        state = .absent(Absence(client: client.lost, lossTime: 0, isLost: false))
        return true
    }

    /// After `leave`: brings the client back as after the loss of a server, which counts as lost only
    /// if that takes longer than 2 s.
    public func comeBack() {
        guard var absence, absence.tries == nil else { return }
        if !absence.isLost { absence.lossTime = monotonicSeconds() + Self.grace }
        begin(&absence, stopping: nil)
        state = .absent(absence)
    }

    private func begin(_ absence: inout Absence, stopping server: PrivateServer?) {
        do throws(JackError) {
            absence.tries = try Tries(absence.client, startsServer: startsServer, stopping: server)
        } catch {
            absence.failure = error
        }
    }

    /// Fades out and closes the client, and brings none back.
    public func close() {
        client.close()
        guard var absence else { return }
        absence.tries = nil
        state = .absent(absence)
    }
}

/// Tries to open a client in place of a lost one, again and again on a thread of its own, since a
/// server that hangs may block that thread for ever.
///
/// The client gets its earlier name. Where that name is still taken, as by the lost client that the
/// server has not yet noticed to be gone, the name is waited for, but no more than about 5 s.
private final class Tries {
    /// The new client, not yet active, and the private server that was started for it, if any.
    typealias Found = (client: JackClient, privateServer: PrivateServer?)

    /// Milliseconds between two tries. The pause grows when other programs can see the tries.
    private static let pauses = (first: 100, longest: 2000)
    /// How long to wait for a taken name, in seconds.
    private static let patience = 5.0

    private struct News: @unchecked Sendable {
        // Safety: `Found` goes from the thread that makes it to the one that takes it.
        var warnings: [JackWarning] = []
        var found: Found?
    }

    /// What the thread of the tries and the control thread share.
    private final class Shared: Sendable {
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

        var isUnwanted: Bool { end.wait(milliseconds: 0) }
    }

    private let shared: Shared

    /// Readable (poll(2)) when `take` has something to return.
    var eventDescriptor: Int32 { shared.hasNews.descriptor }

    /// Begins to try.
    ///
    /// - Parameters:
    ///   - lost: the client to bring back.
    ///   - startsServer: whether the lost server was a private one, to be started again.
    ///   - old: a server that is stopped before the first try.
    init(_ lost: LostClient, startsServer: Bool, stopping old: PrivateServer?) throws(JackError) {
        let attempt = "waiting for the JACK server"
        guard let shared = Shared() else { throw .system(attempt: attempt, code: errno) }
        self.shared = shared
        let code = DetachedThread.start("jack-reopen") {
            old?.stop()
            Self.run(lost, startsServer: startsServer, shared)
            shared.stopped.set()
        }
        guard code == 0 else { throw .system(attempt: attempt, code: code) }
    }

    deinit { shared.end.set() }

    /// Ends the tries, and closes a new client that `take` has not returned. Waits up to
    /// `milliseconds` for a try under way, and up to 5 s for the end of a private server that was
    /// started and that `take` has not returned.
    func stop(milliseconds: Int) {
        shared.end.set()
        _ = shared.stopped.wait(milliseconds: milliseconds)
        _ = take()
    }

    /// New warnings about the server and the tries, and the client when it is back. Each warning
    /// and the client are returned once.
    func take() -> (warnings: [JackWarning], found: Found?) {
        let news = shared.take()
        return (news.warnings, news.found)
    }

    private static func run(_ lost: LostClient, startsServer: Bool, _ shared: Shared) {
        guard !shared.isUnwanted else { return }
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
    ) throws(JackError) -> Found {
        do throws(JackError) {
            // Waits without limit for a server that hangs: each further try would leave a thread
            // behind.
            let client = try JackClient.open(
                lost.configuration, server: lost.server, after: lost, milliseconds: -1,
                unless: { shared.isUnwanted })
            return (client, nil)
        } catch {
            guard startsServer, case .noServer = error else { throw error }
        }
        return try ServerChoice(name: lost.server).openPrivately(
            lost.configuration, after: lost, say: { _ in },
            warn: { warning in shared.tell { $0.warnings.append(warning) } },
            unless: { shared.isUnwanted })
    }
}
