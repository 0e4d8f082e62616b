import AudioGraph
import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// A client in a JACK server: its ports, its process callback, its connections.
///
/// Calls come in this order: `open` opens the client and makes the ports, `activate` starts the
/// cycles and connects, `drainEvents` is called whenever `eventDescriptor` is readable, `close` at
/// the end. Once the server is gone only `lost` and `close` may be called; a new client can go on
/// with the same graph. `KeptClient` does that.
///
/// Belongs to one control thread; until `activate` to any one thread. Not realtime-safe: only
/// `LiveDriver` runs on JACK's thread.
@safe public final class JackClient {
    enum State {
        /// The ports are there; JACK does not call the client yet.
        case open
        /// JACK calls the client, or may: a call to `jack_activate` that does not come back may
        /// make it active all the same. `metadata`: the properties that were set for patchbays.
        case active(metadata: [JackMetadata.Property])
        /// `wasLost`: the server was gone when the client was closed.
        case closed(statistics: CallbackStatistics, wasLost: Bool)
    }

    /// The configuration that the client was opened with.
    public let configuration: JackConfiguration
    /// Readable (poll(2)) when `drainEvents` has something to tell.
    public let eventDescriptor: Int32
    /// A descriptor that hangs up (poll(2)) when the server ends, where libjack does not report
    /// that end; −1 where libjack does.
    public let lifeline: Int32

    let handle: ClientHandle
    /// Freed some time after `close`.
    let context: UnsafeMutablePointer<LiveContext>
    private(set) var state = State.open
    /// What the cycles render, kept for as long as one may be inside.
    private var graph: Graph?
    /// Which connections are there, and which are wanted.
    var patchbay: Patchbay
    /// Names of the ports that were registered since the patchbay last looked at all ports; nil
    /// when no port came or went since then.
    var registeredPorts: Set<String>?
    /// What `drainEvents` has told of the server.
    var numbers: ToldNumbers
    /// Events that `drainEvents` has not returned yet.
    var pending: [JackEvent] = []
    /// Whether `drainEvents` has told that the server is gone.
    var isLossTold = false
    /// Whether the server is to compute all latencies anew: the graph's has changed.
    var isLatencyStale = false

    // MARK: Opening

    /// Opens a client as `init` does, on a thread that is left behind when the server does not
    /// answer; a client that is opened after that is closed again.
    ///
    /// Opens the client anew where libjack's table of clients is stale because another client left
    /// meanwhile, up to two times; the last client is used even then.
    ///
    /// - Parameters:
    ///   - configuration: the client's name, its ports, and what they are connected to.
    ///   - server: the name of a JACK server that runs.
    ///   - lost: the client that the new client replaces.
    ///   - milliseconds: how long to wait for the server, each time; default 4000; negative: without
    ///     end.
    ///   - isCancelled: called 20 times a second; true ends the wait.
    /// - Throws: as `init`, and `serverSilent`, `stopped`.
    public static func open(
        _ configuration: JackConfiguration, server: String = Libjack.defaultServer,
        after lost: LostClient? = nil, milliseconds: Int = 4000,
        unless isCancelled: () -> Bool = { false }
    ) throws(JackError) -> JackClient {
        var (stale, triesLeft) = (JackClient?.none, 2)
        while true {
            // Safety: the client goes to the thread that opens the next one, and is not used here
            // any more.
            nonisolated(unsafe) let old = stale
            let (client, isStale) = try ClientHandle.wait(
                for: server, milliseconds: milliseconds, unless: isCancelled
            ) { () throws(JackError) in
                // The client is not active yet, so it can go without a fade.
                unsafe old?.close()
                let client = try JackClient(configuration, server: server, after: lost)
                // `init` has made ports, so the server has answered a call since the client was
                // opened.
                return (client, ClientHandle.isTableStale)
            }
            guard isStale else { return client }
            guard triesLeft > 0 else {
                JackLog.receive("libjack still counts on a client that has left the JACK server")
                return client
            }
            (stale, triesLeft) = (client, triesLeft - 1)
        }
    }

    /// Opens a client in the running server `server` and makes its ports; starts no server. Blocks
    /// for as long as the server is silent. To be called on a thread that receives no signals, as
    /// `open` does.
    ///
    /// - Parameters:
    ///   - configuration: the client's name, its ports, and what they are connected to.
    ///   - server: the name of the server.
    ///   - lost: the client that the new client replaces: its connections are made again as soon as
    ///     their ports are there. The new client must get the same name.
    /// - Throws: `noServer`, `refused`, `portRefused`, `activationFailed`, `system`.
    public init(
        _ configuration: JackConfiguration, server: String = Libjack.defaultServer,
        after lost: LostClient? = nil
    ) throws(JackError) {
        handle = try ClientHandle(configuration.name, server: server)
        eventDescriptor = crealtime_event_create()
        guard eventDescriptor >= 0 else {
            let code = errno
            handle.close()
            throw .system(attempt: "making a descriptor for JACK's events", code: code)
        }
        // Made after the client is open, so that a refused client leaves no connection behind.
        lifeline = Libjack.isPipeWire ? PipeWire.connect() : -1
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(
            to: LiveContext(
                client: handle.client, descriptor: eventDescriptor, lifeline: lifeline))
        self.configuration = configuration
        numbers = unsafe ToldNumbers(of: handle.client)
        patchbay =
            lost?.patchbay(forClient: handle.name)
            ?? Patchbay(configuration, client: handle.name)
        do throws(JackError) {
            // Checked before other programs can see a port of the client.
            if let lost, name != lost.configuration.name, !lost.takesAnyName {
                throw .refused(
                    client: lost.configuration.name, server: server,
                    status: JackNameNotUnique.rawValue)
            }
            unsafe try LiveContext.prepare(context, of: handle, configuration)
        } catch {
            close()
            throw error
        }
        if name != configuration.name {
            pending.append(.warning(.nameTaken(wanted: configuration.name, given: name)))
        }
    }

    deinit { close() }

    // MARK: Life

    /// Starts the cycles and connects. The graph is rendered from the second cycle after the
    /// connections were asked for, so that no connected program misses a frame; it fades in over
    /// 50 ms, the microphone over 1 s. A connection that fails is a warning among the events. To be
    /// called once.
    ///
    /// - Parameters:
    ///   - graph: renders every cycle: at `sampleRate`, with at most as many inputs and outputs as the
    ///     client has ports; further outputs are silent. The graph is the client's alone, which
    ///     keeps it for as long as a cycle may be inside it.
    ///   - isCancelled: called 20 times a second while the server does not answer; true
    ///     ends the wait, which takes 4 s at most.
    /// - Throws: `graph` where rate or channels do not fit, or another driver renders the graph;
    ///   `alreadyActive`, `closed`; `serverLost`, `serverSilent`, `stopped`; `activationFailed`, with
    ///   jackd also where its cycles stand still for a moment: close the client then, and open
    ///   another.
    public func activate(
        rendering graph: Graph, unless isCancelled: () -> Bool = { false }
    ) throws(JackError) {
        switch state {
        case .open: if isLost { throw .serverLost(reason: lossReason) }
        case .active: throw .alreadyActive(client: name)
        case .closed: throw .closed(client: name)
        }
        try take(graph, sampleRate: sampleRate)
        state = .active(metadata: [])
        // libjack may call back with the present period before anybody can answer.
        take(period: period)
        let code = unsafe handle.ask(
            milliseconds: ClientHandle.openingPatience, unless: isCancelled
        ) {
            unsafe jack_activate($0)
        }
        guard code == 0 else {
            guard !isLost else { throw .serverLost(reason: lossReason) }
            guard let code else {
                throw isCancelled() ? .stopped : .serverSilent(name: server)
            }
            throw .activationFailed(step: "jack_activate", code: Int(code))
        }
        registeredPorts = []
        pending += connect()
        if !pending.isEmpty { unsafe context.pointee.wake() }
        unsafe context.pointee.areConnectionsRequested.store(true, ordering: .releasing)
        // Its sound is heard meanwhile.
        state = .active(metadata: describe())
    }

    /// Renders another graph from the next cycle on, with the fades of a start. Waits for the cycle
    /// under way, a second at most: where that cycle hangs for longer, the previous graph is kept for
    /// ever. PipeWire may change its rate at any time: while the graph has another rate than the
    /// server, the client is silent.
    ///
    /// - Throws: `graph` where channels do not fit, or another driver renders the graph; `closed`.
    public func render(_ graph: Graph) throws(JackError) {
        // The callback data of a closed client are freed.
        if case .closed = state { throw .closed(client: name) }
        try take(graph, sampleRate: graph.sampleRate)
    }

    /// Gives its graph, `graph`, the server's rate, which has changed, and renders it on, if it did,
    /// with the fades of a start. Waits for the cycle under way, as `render`.
    ///
    /// - Throws: `serverLost` where that cycle does not end, `graph` where a node refuses the rate;
    ///   the client is silent from then on.
    package func takeServerRate(for graph: Graph) throws(JackError) {
        // The rate may be the former one again before the graph has the new one.
        unsafe context.pointee.isGraphAway.store(true, ordering: .sequentiallyConsistent)
        guard unsafe context.pointee.awaitEndOfCycle() else {
            throw .serverLost(reason: "a JACK cycle does not end")
        }
        graph.release(by: handle)
        do throws(GraphError) {
            try graph.change(sampleRate: sampleRate)
        } catch {
            throw .graph(error)
        }
        if self.graph != nil { try take(graph, sampleRate: graph.sampleRate) }
        unsafe context.pointee.isGraphAway.store(false, ordering: .sequentiallyConsistent)
    }

    /// Fades out over 10 ms, deactivates and closes the client. Waits about a second for a server
    /// that hangs, two where its period is long, one more for a cycle that does not end, and not at
    /// all for a server that is gone. libjack is called on another thread, which may hang with the
    /// server; when libjack is done, that thread frees the callback data. Where the process has no
    /// thread or descriptor left, libjack keeps the client until the process ends.
    ///
    /// - Returns: whether another driver may render the graph: false only while a cycle is still
    ///   inside it.
    @discardableResult public func close() -> Bool {
        var metadata: [JackMetadata.Property]?
        switch state {
        case .open: break
        case .active(let told): metadata = told
        case .closed: return true
        }
        let isActive = metadata != nil
        if isActive && !isLost { fadeOut() }
        let wasLost = isLost
        let end = State.closed(statistics: statistics, wasLost: wasLost)
        if lifeline >= 0 { Glibc.close(lifeline) }
        unsafe context.pointee.isClientClosed.store(true, ordering: .sequentiallyConsistent)
        let isFree = unsafe context.pointee.awaitEndOfCycle()
        // Safety: freed where libjack calls nothing of the client any more.
        nonisolated(unsafe) let context = unsafe context
        // No cycle enters the graph any more. One that hangs in it may never end: the graph then stays,
        // as it must not end on a thread of libjack's.
        if !isFree, let graph { _ = unsafe Unmanaged.passRetained(graph) }
        release(isFree: isFree)
        state = end
        let closing = handle.end(isActive: isActive, metadata: wasLost ? nil : metadata ?? []) {
            unsafe LiveContext.free(context)
        }
        if !wasLost { _ = closing?.wait(milliseconds: 1000) }
        return isFree
    }

    /// Fades the outputs out over 10 ms, and waits for that at most 100 ms and four cycles.
    private func fadeOut() {
        unsafe context.pointee.isLeaving.store(true, ordering: .relaxed)
        // Enough for 10 ms, the cycle under way and the two after it; no longer, as the server may
        // stand still. A cycle counts as 250 ms at most: period and rate come from the server, and
        // at 1 Hz a cycle would last for minutes.
        let cycle = min(period * 1000 / sampleRate, 250)
        _ = PolledWait.run(milliseconds: 100 + 4 * cycle) {
            unsafe isLost || context.pointee.hasFadedOut.load(ordering: .acquiring)
        }
    }

    /// Everything that a new client needs to replace this client. To be read right after `close`.
    public var lost: LostClient {
        var configuration = configuration
        configuration.name = name
        return LostClient(
            configuration: configuration, server: server, patchbay: patchbay,
            time: monotonicSeconds())
    }

    // MARK: State

    /// Whether the server is gone, or has thrown the client out; then only `lost` and `close` may be
    /// called. For a closed client, whether the server was gone before the close.
    public var isLost: Bool {
        if case .closed(_, let wasLost) = state { return wasLost }
        return unsafe context.pointee.isLost
    }

    /// Whether libjack may be asked about the client: it is open, and its server is there.
    var isUsable: Bool { if case .closed = state { false } else { !isLost } }

    /// Why the client is lost, as a sentence. Not for a closed client.
    var lossReason: String { unsafe context.pointee.lossReason }

    /// The counters of the process callback; after `close`, their last values.
    public var statistics: CallbackStatistics {
        if case .closed(let statistics, _) = state { return statistics }
        return unsafe context.pointee.statistics
    }

    // MARK: The graph

    /// Makes the cycles render `new` from the next one on, with the fades of a start.
    private func take(_ new: Graph, sampleRate: Int) throws(JackError) {
        let channels: (inputs: Int, outputs: Int)
        do throws(GraphError) {
            channels = try new.claim(
                by: handle,
                format: unsafe (
                    sampleRate, context.pointee.inputs.count, context.pointee.outputs.count
                ))
        } catch {
            throw .graph(error)
        }
        let driver = UnsafeMutablePointer<LiveDriver>.allocate(capacity: 1)
        unsafe driver.initialize(
            to: LiveDriver(
                graph: new.context, context: context, sampleRate: new.sampleRate,
                playedCount: channels.outputs, measuresTime: configuration.measuresCallbackTime))
        let old = unsafe context.pointee.driver.exchange(driver, ordering: .sequentiallyConsistent)
        let isFree = unsafe context.pointee.awaitEndOfCycle()
        if isFree {
            unsafe old?.deinitialize(count: 1)
            unsafe old?.deallocate()
        } else if let graph {
            _ = unsafe Unmanaged.passRetained(graph)
        }
        if graph !== new { release(isFree: isFree) }
        graph = new
        noteLatency(of: new, isNews: unsafe old != nil)
        new.latencyChanged = { [weak self, weak new] in
            if let self, let new { noteLatency(of: new, isNews: true) }
        }
    }

    /// Forgets the graph. Another driver may render it only if it `isFree`: no cycle is inside.
    private func release(isFree: Bool) {
        graph?.latencyChanged = nil
        if isFree { graph?.release(by: handle) }
        graph = nil
    }

    /// Keeps for the latency callback what `graph` adds; with `isNews` the client has the server
    /// call it.
    private func noteLatency(of graph: Graph, isNews: Bool) {
        let added = graph.capturedLatencies.map { range in
            range.map { LatencyRange(minimum: $0.lowerBound, maximum: $0.upperBound) }
        }
        unsafe context.pointee.addedLatencies.withLock { $0 = added }
        guard isNews else { return }
        isLatencyStale = true
        unsafe context.pointee.wake()
    }
}
