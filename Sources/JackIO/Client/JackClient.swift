import AudioGraph
import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// A client in a JACK server: its ports, its process callback, its connections.
///
/// In this order: `open` opens the client and makes the ports, `activate` starts the cycles and
/// connects, `drainEvents` whenever `eventDescriptor` is readable, `close` at the end. A client
/// whose server is gone only takes `lost` and `close`; a new client goes on with the same graph.
///
/// Belongs to one control thread, which may be another one until `activate`. Not realtime-safe: only
/// `LiveDriver` runs on JACK's thread.
@safe public final class JackClient {
    let opened: OpenClient
    private let life: ClientLife
    private let connections: ConnectionKeeper
    private var numbers: ReportedNumbers
    /// Events that `drainEvents` has not told.
    private var pending: [JackEvent] = []

    /// Opens a client as `init` does, on a thread that is left behind when the server does not
    /// answer; what that opens too late is closed again.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the server is waited for; default 4000; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait.
    /// - Throws: as `init`, and `serverSilent`, `stopped`.
    public static func open(
        _ configuration: JackConfiguration, server: String = Libjack.defaultServer,
        after lost: LostClient? = nil, milliseconds: Int = 4000,
        unless isCancelled: () -> Bool = { false }
    ) throws(JackError) -> JackClient {
        try Opening.wait(for: server, milliseconds: milliseconds, unless: isCancelled) {
            () throws(JackError) in
            try openSoundly(configuration, server: server, after: lost)
        }
    }

    /// As `init`, and again where libjack missed that another client left meanwhile.
    ///
    /// Three tries, of 200 ms and what opening and closing take: the last client is used whatever
    /// the table says, and well within the 4 s that `open` waits for a server.
    private static func openSoundly(
        _ configuration: JackConfiguration, server: String, after lost: LostClient?
    ) throws(JackError) -> JackClient {
        var triesLeft = 3
        while true {
            let client = try JackClient(configuration, server: server, after: lost)
            // `init` has made ports, so the server has answered since.
            guard ClientTable.isStale else { return client }
            triesLeft -= 1
            guard triesLeft > 0 else {
                JackLog.receive("libjack still counts on a client that has left the JACK server")
                return client
            }
            // The client is not active yet, so it can go without a fade.
            client.close()
            _ = client.life.closing?.wait(milliseconds: Opening.patience)
        }
    }

    /// Opens a client in the running server `server` and makes its ports; starts no server. Blocks
    /// for as long as the server is silent, and wants a thread without signals: see `open`.
    ///
    /// - Parameter lost: the client that this one takes the place of: what was connected to it is
    ///   connected again, as soon as it is there. Its name is insisted on.
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
            // Before anything of it is seen.
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

    /// Starts the cycles and connects; the graph is rendered from the cycle after that on, fading
    /// in over 50 ms and the microphone over 1 s, so that nobody who is connected misses a frame.
    /// A connection that fails is a warning among the events. Once.
    ///
    /// - Parameter graph: renders every cycle, with as many inputs as there are microphone ports,
    ///   at `sampleRate`, two outputs. The client keeps it for as long as a cycle may be inside.
    /// - Parameter isCancelled: asked 20 times a second while the server does not answer; true
    ///   ends the wait, which takes 4 s at most.
    /// - Throws: `serverLost`, `serverSilent`, `stopped`, `activationFailed`.
    public func activate(
        rendering graph: AudioGraph, unless isCancelled: () -> Bool = { false }
    ) throws(JackError) {
        try life.activate(rendering: graph, unless: isCancelled)
        pending += connections.begin()
        if !pending.isEmpty { unsafe opened.context.pointee.signals.wake() }
        unsafe opened.context.pointee.signals.isPatched.store(true, ordering: .releasing)
    }

    /// Renders `graph`, which may be for another rate, from the next cycle on, with the fades of a
    /// start. Waits for the cycle under way, a second at most: where that hangs for longer, the
    /// graph of before is kept for ever. Not for a client that is closed: what the callbacks are
    /// given is freed.
    public func render(_ graph: AudioGraph) { life.render(graph) }

    /// Fades out over 10 ms, deactivates and closes the client. Waits about a second for a server
    /// that hangs, two where its period is long, one more for a cycle that does not end, and not at
    /// all for a server that is gone: libjack is left to a thread that may hang with it, and that
    /// frees what the callbacks are given when it does not. Where the process has no thread or
    /// descriptor left, libjack keeps the client until the process ends.
    ///
    /// - Returns: whether another driver may render the graph: false only when a cycle still is
    ///   inside it.
    @discardableResult public func close() -> Bool {
        life.close(period: period, sampleRate: sampleRate)
    }

    /// What another client needs to take this one's place. To be asked right after `close`.
    public var lost: LostClient {
        var configuration = configuration
        configuration.name = name
        return LostClient(
            configuration: configuration, server: server, patchbay: connections.patchbay,
            time: monotonicSeconds(), closing: life.closing)
    }

    /// Whether the server is gone; only `close` remains.
    public var isShutDown: Bool { life.isLost }

    /// What libjack says of the client; nil when it is closed or its server is gone.
    var facts: ClientFacts? { life.usable.map { ClientFacts($0) } }

    // MARK: Events

    /// Readable (poll(2)) when `drainEvents` has something to tell.
    public var eventDescriptor: Int32 { opened.eventDescriptor }

    /// Hangs up (poll(2)) when the server ends and libjack does not say so; −1 where it does.
    public var lifeline: Int32 { opened.lifeline }

    /// What happened since the last call, and connects ports that have appeared. Never waits for
    /// an event; talking to the server may block briefly.
    public func drainEvents() -> [JackEvent] {
        guard !life.isClosed else { return [] }
        _ = crealtime_event_clear(eventDescriptor)
        guard !life.isLossTold else { return [] }
        defer { pending = [] }
        if life.noticeLoss() {
            return pending + connections.collectChanges() + [.shutdown(reason: opened.lossReason)]
        }
        pending += numbers.changes(of: opened) + connections.collectChanges()
        // A dying server tells so before it takes its ports away: they are not to be given up.
        if life.isActive, !isShutDown { pending += connections.update() }
        // The graph changes between two cycles, and PipeWire's session manager takes its time.
        pending += connections.warnAboutOverdue(patience: max(16 * period, sampleRate / 4))
        return pending
    }

    // MARK: Facts

    /// What was asked for.
    public var configuration: JackConfiguration { opened.configuration }

    /// The name that the server gave: the wanted one, or with a suffix when that was taken.
    public var name: String { opened.name }

    /// The server's name.
    public var server: String { opened.server }

    /// Full names of the microphone's ports: none, one, or left and right.
    public var microphonePorts: [String] { configuration.microphonePorts.map { "\(name):\($0)" } }

    /// Full names of the outputs, left and right.
    public var outputPorts: [String] { JackConfiguration.outputPorts.map { "\(name):\($0)" } }

    /// Frames a second, in Hz, as far as `drainEvents` has told.
    public var sampleRate: Int { numbers.sampleRate }

    /// Frames of a JACK cycle now.
    public var period: Int { facts?.period ?? numbers.period }

    /// The way from the microphone to the ear as JACK knows it now; without a microphone's port
    /// its capture range is 0…0.
    public var latency: JackLatency {
        facts?.latency(sampleRate: sampleRate)
            ?? JackLatency(capture: .zero, playback: .zero, sampleRate: sampleRate)
    }

    /// Whether a microphone's port and an output are connected, so that somebody may be heard.
    public var isMonitoring: Bool { facts?.isMonitoring ?? false }

    /// What the process callback has done so far; after `close`, what it had done until then.
    public var statistics: CallbackStatistics { life.statistics }

    /// The scheduling of the process thread. Defined from the first cycle on.
    public var scheduling: ThreadScheduling {
        guard let facts, statistics.cycles > 0 else {
            return ThreadScheduling(thread: nil, isServerRealtime: false)
        }
        return facts.scheduling
    }

    // MARK: Connections

    /// What the client's ports are connected to, by whomever, as far as `drainEvents` has told,
    /// and what they are to be connected to; its own ports as `:port`.
    public var wires: Set<JackWire> { connections.wires }

    /// From now on wants the connections that it has, as for `JackConfiguration.wires`, and none
    /// that it would choose.
    public func keepWires() { connections.keep() }

    /// Waits until what was asked for is connected and its latency known, but no longer than
    /// `milliseconds`: what is refused or absent is not waited for.
    public func awaitConnections(milliseconds: Int = 100) {
        if life.usable != nil { connections.awaitConnections(milliseconds: milliseconds) }
    }

    // MARK: Period and transport

    /// Says that all is ready for cycles of `frames` frames, which the event `period` told of: they
    /// may begin. After 50 ms they do anyway.
    public func take(period frames: Int) {
        unsafe life.usable?.context.pointee.signals.periodTaken.store(
            UInt32(clamping: frames), ordering: .releasing)
    }

    /// Makes the server's cycles `frames` frames long, for everybody. False: it did not, or not
    /// within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard let usable = life.usable, let frames = jack_nframes_t(exactly: frames) else {
            return false
        }
        let isTaken = unsafe usable.handle.ask(milliseconds: 3000) { client in
            unsafe jack_set_buffer_size(client, frames) == 0
        }
        // PipeWire answers before it is done.
        return isTaken == true
            && PolledWait.run(milliseconds: 1000) { period == Int(frames) }
    }

    /// Where JACK's transport is; nil without a server.
    public var transport: JackTransport? {
        guard let transport = facts?.transport else { return nil }
        // What a server leaves that dies meanwhile is no place.
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

    /// Puts the transport at `frame` with the next cycle; what a transport cannot say (over 24 hours
    /// at 48 kHz) is its nearest end.
    public func locateTransport(to frame: Int) {
        if let usable = life.usable {
            unsafe jack_transport_locate(usable.client, jack_nframes_t(clamping: frame))
        }
    }
}
