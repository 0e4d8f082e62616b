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
/// with the same graph.
///
/// Belongs to one control thread; until `activate` to any one thread. Not realtime-safe: only
/// `LiveDriver` runs on JACK's thread.
@safe public final class JackClient {
    let opened: OpenClient
    private let life: ClientLife
    private let connections: ConnectionKeeper
    private var numbers: ReportedNumbers
    /// Events that `drainEvents` has not returned yet.
    private var pending: [JackEvent] = []

    /// Opens a client as `init` does, on a thread that is left behind when the server does not
    /// answer; a client that is opened after that is closed again.
    ///
    /// Opens the client anew where `ClientTable` is stale because another client left meanwhile, up
    /// to two times; the last client is used even then.
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
            let (client, isStale) = try Opening.wait(
                for: server, milliseconds: milliseconds, unless: isCancelled
            ) { () throws(JackError) in
                // The client is not active yet, so it can go without a fade.
                unsafe old?.close()
                let client = try JackClient(configuration, server: server, after: lost)
                // `init` has made ports, so the server has answered a call since the client was
                // opened.
                return (client, ClientTable.isStale)
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
        opened = try OpenClient(configuration, server: server)
        life = ClientLife(opened)
        numbers = ReportedNumbers(opened)
        connections = ConnectionKeeper(
            opened,
            patchbay: lost?.patchbay(forClient: opened.name)
                ?? Patchbay(configuration, client: opened.name))
        do throws(JackError) {
            // Checked before other programs can see a port of the client.
            if let lost, name != lost.configuration.name, !lost.takesAnyName {
                throw .refused(
                    client: lost.configuration.name, server: server,
                    status: JackNameNotUnique.rawValue)
            }
            try ClientSetup.prepare(opened)
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
        try life.activate(rendering: graph, sampleRate: sampleRate, unless: isCancelled)
        pending += connections.begin()
        if !pending.isEmpty { unsafe opened.context.pointee.signals.wake() }
        unsafe opened.context.pointee.signals.areConnectionsRequested.store(
            true, ordering: .releasing)
    }

    /// Renders another graph from the next cycle on, with the fades of a
    /// start. Waits for the cycle under way, a second at most: where that cycle hangs for longer,
    /// the previous graph is kept for ever. PipeWire may change its rate at any time: while the graph
    /// has another rate than the server, the client is silent.
    ///
    /// - Throws: `graph` where channels do not fit, or another driver renders the graph; `closed`.
    public func render(_ graph: Graph) throws(JackError) {
        try life.render(graph, sampleRate: graph.sampleRate)
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
        life.close(period: period, sampleRate: sampleRate)
    }

    /// Everything that a new client needs to replace this client. To be read right after `close`.
    public var lost: LostClient {
        var configuration = configuration
        configuration.name = name
        return LostClient(
            configuration: configuration, server: server, patchbay: connections.patchbay,
            time: monotonicSeconds())
    }

    /// Whether the server is gone; then only `lost` and `close` may be called.
    public var isLost: Bool { life.isLost }

    /// The facts that libjack gives about the client; nil when it is closed or its server is gone.
    var facts: ClientFacts? { life.usable.map { ClientFacts($0) } }

    // MARK: Events

    /// Readable (poll(2)) when `drainEvents` has something to tell.
    public var eventDescriptor: Int32 { opened.eventDescriptor }

    /// A descriptor that hangs up (poll(2)) when the server ends, where libjack does not report
    /// that end; −1 where libjack does.
    public var lifeline: Int32 { opened.lifeline }

    /// Returns the events since the last call, and connects ports that have appeared. Never waits
    /// for an event; talking to the server may block briefly.
    public func drainEvents() -> [JackEvent] {
        guard !life.isClosed else { return [] }
        _ = crealtime_event_clear(eventDescriptor)
        guard !life.isLossReported else { return [] }
        defer { pending = [] }
        if life.noticeLoss() {
            return pending + connections.collectChanges() + [.shutdown(reason: opened.lossReason)]
        }
        if opened.isLatencyStale {
            // A server that does not answer is asked again at the next event.
            opened.isLatencyStale =
                unsafe opened.handle.ask { unsafe jack_recompute_total_latencies($0) } == nil
        }
        pending += numbers.changes(of: opened) + connections.collectChanges()
        // A dying server says so before it removes its ports. Their connections are still wanted,
        // so the patchbay must not see that the ports have gone.
        if life.isActive, !isLost { pending += connections.update() }
        // Connections take time: jackd makes them between two cycles, PipeWire's session manager
        // even later.
        pending += connections.warnAboutOverdue(patience: max(16 * period, sampleRate / 4))
        pending += connections.settleWarnings()
        return pending
    }

    // MARK: Facts

    /// The configuration that the client was opened with.
    public var configuration: JackConfiguration { opened.configuration }

    /// The name that the server gave: the wanted name, with a suffix when it was taken.
    public var name: String { opened.name }

    /// The server's name.
    public var server: String { opened.server }

    /// Full names of the microphone ports: none, one, or left and right, then that of a second
    /// microphone.
    public var microphonePorts: [String] { configuration.microphonePorts.map { "\(name):\($0)" } }

    /// Full names of the outputs, left and right.
    public var outputPorts: [String] { JackConfiguration.outputPorts.map { "\(name):\($0)" } }

    /// The sample rate in Hz, as of the last `drainEvents`.
    public var sampleRate: Int { numbers.sampleRate }

    /// Frames in a JACK cycle now.
    public var period: Int { facts?.period ?? numbers.period }

    /// The latency from the microphone to the ear as JACK knows it now. The capture range is 0…0
    /// when the client has no microphone port.
    public var latency: JackLatency {
        facts?.latency(sampleRate: sampleRate)
            ?? JackLatency(capture: .zero, playback: .zero, sampleRate: sampleRate)
    }

    /// Where the outputs lead now, and where the first microphone comes from: what a measured round
    /// trip holds for. Nil when a side is not connected. Asks no server, so that it never waits.
    public var loopPath: LoopPath? { facts?.loopPath(sampleRate: sampleRate) }

    /// Whether a microphone port and an output are connected, so that a voice may be heard.
    public var isMonitoring: Bool { facts?.isMonitoring ?? false }

    /// The counters of the process callback; after `close`, their last values.
    public var statistics: CallbackStatistics { life.statistics }

    /// The scheduling of the process thread. Defined from the first cycle on.
    public var scheduling: ThreadScheduling {
        guard let facts, statistics.cycles > 0 else {
            return ThreadScheduling(thread: nil, isServerRealtime: false)
        }
        return facts.scheduling
    }

    // MARK: Connections

    /// The connections of the client's ports, made by any program, as of the last `drainEvents`,
    /// and those still to be made. The client's own ports are written `:port`.
    public var wires: Set<JackWire> { connections.wires }

    /// Keeps the present connections from now on, as if `JackConfiguration.wires` named them, and
    /// makes none that a selection would choose.
    public func keepWires() { connections.keep() }

    /// Waits until the requested connections are made and, where a microphone may be heard, their
    /// latency is known, but no longer than `milliseconds`. Does not wait for refused connections or
    /// absent ports.
    public func awaitConnections(milliseconds: Int = 100) {
        if life.usable != nil { connections.awaitConnections(milliseconds: milliseconds) }
    }

    // MARK: Period and transport

    /// Answers the event `period`: the caller is ready for cycles of `frames` frames, and they may
    /// begin. Without this answer they begin after 200 ms.
    public func take(period frames: Int) {
        unsafe life.usable?.context.pointee.signals.periodTaken.store(
            UInt32(clamping: frames), ordering: .releasing)
    }

    /// Asks the server for cycles of `frames` frames, for all its clients. False when the server
    /// did not make them so within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard let usable = life.usable, let frames = jack_nframes_t(exactly: frames) else {
            return false
        }
        let isTaken = unsafe usable.handle.ask(milliseconds: 3000) { client in
            unsafe jack_set_buffer_size(client, frames) == 0
        }
        // PipeWire answers before it has changed the period.
        return isTaken == true
            && PolledWait.run(milliseconds: 1000) { period == Int(frames) }
    }

    /// Where JACK's transport is; nil without a server.
    public var transport: JackTransport? {
        guard let transport = facts?.transport else { return nil }
        // A server that died during the call has left no valid position.
        return life.usable == nil ? nil : transport
    }

    /// Lets the transport roll from the next cycle on, or when all followers are ready.
    public func startTransport() {
        if let usable = life.usable { unsafe jack_transport_start(usable.client) }
    }

    /// Stops the transport with the next cycle.
    public func stopTransport() {
        if let usable = life.usable { unsafe jack_transport_stop(usable.client) }
    }

    /// Puts the transport at `frame` with the next cycle. JACK counts in 32 bits (24 hours at
    /// 48 kHz): a frame outside that range becomes the nearest end of it.
    public func locateTransport(to frame: Int) {
        if let usable = life.usable {
            unsafe jack_transport_locate(usable.client, jack_nframes_t(clamping: frame))
        }
    }
}
