import AudioGraph
import Glibc
import SystemSupport

/// A graph that a JACK server plays: owns the client, the graph, and what has to be done for both
/// while it runs. When the server is lost, the same graph plays on as soon as the server is back.
///
/// ```swift
/// let engine = try AudioEngine(name: "singer")
/// let mixer = engine.graph.mainMixer
/// try engine.edit { graph in try graph.chain(graph.inputNode, mixer) }
/// let events = engine.events()
/// try engine.start()
/// engine.edit { _ in mixer.inputs[0].pan = .left }
/// for await event in events { print(event) }
/// ```
///
/// From `start` on a thread of its own looks after client and graph: use the graph and its nodes in
/// `edit` alone then, which keeps that thread out. Listeners of the graph are called on that thread;
/// `events` and `changes` tell the same to tasks. With `.manual` there is no such thread: a loop of
/// yours calls `turn`.
///
/// For any thread but the realtime ones.
public final class AudioEngine: Sendable {
    /// Who looks after client and graph.
    public enum Housekeeping: Sendable {
        /// A thread of the engine's.
        case ownThread
        /// Who made the engine: `turn` is called whenever one of `descriptors` is readable, and when
        /// `secondsLeft` are over.
        case manual
    }

    private let core: EngineCore

    /// Opens a client in the running server `server`, as `JackClient.open` does, with one port for
    /// the microphone and two for the output, and makes an empty graph of its rate. Throws as that
    /// does.
    public convenience init(
        name: String, server: String = Libjack.defaultServer,
        housekeeping: Housekeeping = .ownThread
    ) throws(JackError) {
        try self.init(
            JackClient.open(JackConfiguration(name: name), server: server),
            housekeeping: housekeeping)
    }

    /// Makes an empty graph of the client's rate.
    ///
    /// - Parameters:
    ///   - client: open, and not active yet; it is the engine's from now on.
    ///   - privateServer: the server that was started for the client, as `ServerChoice.open` returns
    ///     it; `stop` ends it. Default nil.
    ///   - patience: how long a lost server is waited for, in seconds; 0: not at all; default: for
    ///     ever.
    ///   - housekeeping: who looks after client and graph; default `ownThread`.
    /// - Throws: `system`.
    public init(
        _ client: JackClient, privateServer: PrivateServer? = nil, patience: Double = .infinity,
        housekeeping: Housekeeping = .ownThread
    ) throws(JackError) {
        core = try EngineCore(
            KeptClient(client, privateServer: privateServer, patience: patience),
            isManual: housekeeping == .manual)
    }

    deinit { core.stop() }

    // MARK: Life

    /// Prepares and starts the graph, unless that was done, and begins the cycles. To be called once.
    ///
    /// - Throws: as `JackClient.activate`, and `system`.
    public func start() throws(JackError) { try core.start() }

    /// Fades out and closes the client, brings none back, and ends the private server. All sequences
    /// end. The graph stays as it is. Takes 10 ms, or a few seconds where the server hangs. Does
    /// nothing after the first call.
    public func stop() { core.stop() }

    /// Why the engine has stopped by itself: a lost server that is not waited for any more, or whose
    /// rate a node of the graph does not take; nil otherwise.
    public var failure: JackError? { core.lock.hold { core.failure } }

    /// Whether the client is on a server that was not lost.
    public var isConnected: Bool { core.lock.hold { core.kept.isPresent && !core.isOver } }

    // MARK: Graph and client

    /// The graph, the same for as long as the engine lives. While the engine has a thread, to be used
    /// in `edit` alone. Where the server gets another rate, or comes back with one, the graph
    /// takes it (`Graph.change`).
    public var graph: Graph { core.graph }

    /// The present client, or the last one while there is none: each return of the server brings
    /// another. While the engine has a thread, to be used in `edit` alone.
    public var client: JackClient { core.lock.hold { core.kept.client } }

    /// Makes all that `body` does to the graph, its nodes and their parameters in one step, as
    /// `Graph.edit`, while no other thread uses them. For reading, too. Edits may be nested. Waits for
    /// the engine's thread, which may take seconds where a server hangs.
    ///
    /// - Parameters:
    ///   - frame: the frame from which it holds, counted as `Graph.renderedFrames`; nil, or one that is
    ///     over: the next cycle. Frames are not counted while a lost server is away.
    ///   - heard: told once of the frame from which all of it holds, by who looks after the graph.
    ///   - body: the edit; gets the graph.
    public func edit<Result, Failure: Error>(
        at frame: Int? = nil, heard: (@Sendable (_ frame: Int) -> Void)? = nil,
        _ body: (Graph) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.lock.hold { () throws(Failure) in
            try core.graph.edit(at: frame, heard: heard) { () throws(Failure) in
                try body(core.graph)
            }
        }
    }

    // MARK: News

    /// Every event from now on, until the engine stops: what `KeptClient.update` returns. `back` comes
    /// when the graph plays again; `sampleRate` when the graph has another rate. Of events that are
    /// not read the newest 256 are kept.
    public func events() -> AsyncStream<JackEvent> { core.events() }

    /// Every change of a parameter from now on, until the engine stops, as `Graph.addListener` tells
    /// it. Of changes that are not read the newest 4096 are kept.
    ///
    /// - Parameter whenHeard: false: each parameter that has changed, once, with its last value. True:
    ///   each change when it was made on the render thread, with the frame from which it holds.
    public func changes(whenHeard: Bool = false) -> AsyncStream<ParameterChange> {
        core.stream { $0.addListener(whenHeard: whenHeard, $1) }
    }

    /// Every change of a property from now on, until the engine stops, as `Graph.addPropertyListener`
    /// tells it. Of changes that are not read the newest 4096 are kept.
    ///
    /// - Parameters:
    ///   - name: only properties of this name; nil: all.
    ///   - unit: only those of this node; nil: of all nodes.
    public func propertyChanges(
        _ name: String? = nil, of unit: AudioNode? = nil
    ) -> AsyncStream<PropertyChange> {
        core.stream { $0.addPropertyListener(name, of: unit, $1) }
    }

    // MARK: A loop of yours

    /// Readable (poll(2)) when `turn` has something to do; negative numbers are no descriptors. To
    /// be read again before each wait.
    public var descriptors: [Int32] { core.lock.hold { core.descriptors } }

    /// Seconds until `turn` is due, whatever the descriptors say: at most 0.1, since the graph is
    /// looked after, too.
    public var secondsLeft: Double { core.lock.hold { core.secondsLeft } }

    /// Looks after client and graph once; does not wait. For `.manual`. Does nothing in an edit.
    ///
    /// - Returns: what `events` tells.
    /// - Throws: what `failure` says from then on; the engine has stopped.
    @discardableResult public func turn() throws(JackError) -> [JackEvent] { try core.turn() }
}

/// What an engine and its thread share: the thread goes on without keeping the engine.
private final class EngineCore: @unchecked Sendable {
    // Safety: `graph`, `lock`, `end`, `isManual` never change. All else, and what the graph holds, is
    // used by the thread that holds the lock. `graph` alone is also given out without it, to those who
    // hold the lock, or have no thread beside them.
    let lock = ControlLock()
    let graph: Graph
    let kept: KeptClient
    /// Set when the thread is to look at `isOver`.
    private let end: EventFlag
    private let isManual: Bool
    private(set) var isOver = false
    private(set) var failure: JackError?
    private var eventStreams: [AsyncStream<JackEvent>.Continuation] = []
    private var changeStreams: [ChangeStream] = []

    /// Seconds between two looks at the graph.
    private static let interval = 0.1
    private static let rates = 1...1 << 24

    private final class ChangeStream {
        let finish: () -> Void
        var listener: AnyObject?
        var isOver = false

        init(finish: @escaping () -> Void) { self.finish = finish }
    }

    init(_ kept: KeptClient, isManual: Bool) throws(JackError) {
        let rate = kept.client.sampleRate
        guard Self.rates.contains(rate) else { throw Self.refusal(of: rate) }
        guard let end = EventFlag() else {
            throw .system(attempt: "making an audio engine", code: errno)
        }
        (self.kept, self.end, self.isManual) = (kept, end, isManual)
        graph = Graph(sampleRate: rate)
        graph.capturedChannels = kept.client.configuration.microphonePorts.count
    }

    private static func refusal(of rate: Int) -> JackError {
        .system(attempt: "rendering at the JACK server's rate of \(rate) Hz", code: EINVAL)
    }

    // MARK: Life

    func start() throws(JackError) {
        try lock.hold { () throws(JackError) in
            guard !isOver else { throw .closed(client: kept.client.name) }
            do throws(GraphError) {
                if !graph.isPrepared { try graph.prepare() }
                try graph.start()
            } catch {
                throw .graph(error)
            }
            do throws(JackError) { try kept.activate(rendering: graph) } catch {
                // A graph that does not fit can be changed; for all else the client has been used up.
                if case .graph = error { throw error }
                stop(because: error)
                throw error
            }
            guard !isManual else { return }
            let code = DetachedThread.start("jack-engine") { [self] in run() }
            guard code == 0 else {
                stop()
                throw .system(attempt: "starting an audio engine", code: code)
            }
        }
    }

    private func run() {
        while let (descriptors, seconds) = lock.hold({ isOver ? nil : (descriptors, secondsLeft) })
        {
            var wait = PollSet(descriptors + [end.descriptor])
            wait.wait(seconds: seconds)
            // The error is the `failure`.
            _ = try? turn()
        }
    }

    func stop() { lock.hold { stop(because: nil) } }

    private func stop(because error: JackError?) {
        guard !isOver else { return }
        isOver = true
        failure = error
        kept.close()
        kept.privateServer?.stop()
        end.set()
        for stream in eventStreams { stream.finish() }
        for stream in changeStreams { stream.finish() }
        (eventStreams, changeStreams) = ([], [])
    }

    // MARK: Housekeeping

    var descriptors: [Int32] { isOver ? [] : kept.descriptors }

    var secondsLeft: Double {
        isOver ? .infinity : min(max(kept.secondsLeft, 0), Self.interval)
    }

    func turn() throws(JackError) -> [JackEvent] {
        try lock.hold { () throws(JackError) in
            if let failure { throw failure }
            guard !isOver, !graph.isEdited else { return [] }
            do throws(JackError) {
                let news = try update()
                graph.collect()
                eventStreams.removeAll { stream in
                    news.contains { if case .terminated = stream.yield($0) { true } else { false } }
                }
                changeStreams.removeAll(where: \.isOver)
                return news
            } catch {
                stop(because: error)
                throw error
            }
        }
    }

    private func update() throws(JackError) -> [JackEvent] {
        var news: [JackEvent] = []
        for event in try kept.update() {
            switch event {
            case .back: news += try goOn()
            // Told when the graph has it, too.
            case .sampleRate: break
            case .period(let frames):
                kept.client.take(period: frames)
                news.append(event)
            default: news.append(event)
            }
        }
        let rate = kept.client.sampleRate
        if kept.isPresent, rate != graph.sampleRate {
            guard Self.rates.contains(rate) else { throw Self.refusal(of: rate) }
            try kept.client.takeServerRate(for: graph)
            news.append(.sampleRate(rate))
        }
        return news
    }

    /// Another client is on the server: the graph plays on in it.
    private func goOn() throws(JackError) -> [JackEvent] {
        let (rate, old) = (kept.client.sampleRate, graph.sampleRate)
        guard Self.rates.contains(rate) else { throw Self.refusal(of: rate) }
        do throws(GraphError) { try graph.change(sampleRate: rate) } catch { throw .graph(error) }
        do throws(JackError) { try kept.activate(rendering: graph) } catch {
            if case .graph = error { throw error }
            kept.lose(because: "\(error)")
            return [.warning(.serverNotBack(error))]
        }
        return [.back] + (rate == old ? [] : [.sampleRate(rate)])
    }

    // MARK: News

    func events() -> AsyncStream<JackEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: JackEvent.self, bufferingPolicy: .bufferingNewest(256))
        lock.hold {
            if isOver { continuation.finish() } else { eventStreams.append(continuation) }
        }
        return stream
    }

    /// The changes that a listener of the graph hears of; `add` adds it.
    func stream<Change: Sendable>(
        _ add: (Graph, @escaping (Change) -> Void) -> AnyObject
    ) -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Change.self, bufferingPolicy: .bufferingNewest(4096))
        lock.hold {
            guard !isOver else { return continuation.finish() }
            let entry = ChangeStream { continuation.finish() }
            entry.listener = add(graph) { [unowned entry] change in
                if case .terminated = continuation.yield(change) { entry.isOver = true }
            }
            changeStreams.append(entry)
        }
        return stream
    }
}

/// A lock that the thread which holds it may take again, as in an edit within an edit.
@safe private final class ControlLock: @unchecked Sendable {
    // Safety: the lock's own calls may come from any thread.
    private let lock = unsafe makeMutex(PTHREAD_MUTEX_RECURSIVE)

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    func hold<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try body()
    }
}
