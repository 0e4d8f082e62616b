import AudioGraph
import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// duet in a JACK server: its ports, its process callback, its connections.
///
/// In this order: `open` opens the client and makes the ports, `activate` starts the cycles and
/// connects, `drainEvents` whenever `eventDescriptor` is readable, `close` at the end. A client
/// whose server is gone only takes `lost` and `close`; a new client goes on with the same graph.
///
/// Belongs to one control thread, which may be another one until `activate`. Not realtime-safe: only
/// `LiveDriver` runs on JACK's thread.
@safe public final class JackClient {
    /// The name that the server gave: the wanted one, or with a suffix when that was taken.
    public let name: String
    /// The server's name.
    public let server: String
    /// Frames a second, in Hz, as far as `drainEvents` has told.
    public var sampleRate: Int { reported.sampleRate }
    /// What was asked for.
    public let configuration: JackConfiguration

    let client: OpaquePointer
    /// The same, for other threads.
    let handle: ClientHandle
    let context: UnsafeMutablePointer<LiveContext>
    private var graph: AudioGraph?
    var patchbay: Patchbay
    var reported: Reported
    var pending: [JackEvent] = []
    /// The names of ports that have come since `patch` looked at all; nil: none came or went.
    var registered: Set<String>?
    var isActive = false
    private(set) var isClosed = false
    /// Set when libjack is done with the closed client; nil: libjack was not asked to close it.
    private(set) var closing: EventFlag?
    private var metadata: [JackMetadata.Property] = []
    private(set) var lastStatistics: CallbackStatistics?

    /// What the control thread has been told already.
    struct Reported {
        var xruns = 0
        var period: Int
        var sampleRate: Int
        var isFreewheeling = false
        var latency: JackLatency?
        var isShutDown = false
        var scheduling = false
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
        JackLog.install()
        unsafe client = try Self.enter(configuration.name, server: server)
        let descriptor = crealtime_event_create()
        guard descriptor >= 0 else {
            let code = errno
            unsafe jack_client_close(client)
            throw .system(attempt: "making a descriptor for JACK’s events", code: code)
        }
        eventDescriptor = descriptor
        handle = unsafe ClientHandle(client)
        // After the client is open: a client that is refused leaves no connection to PipeWire behind.
        lifeline = Libjack.isPipeWire ? PipeWire.connect() : -1
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: LiveContext(client: client, descriptor: descriptor))
        self.configuration = configuration
        self.server = server
        name = unsafe String(cString: jack_get_client_name(client))
        reported = unsafe Reported(
            period: Int(jack_get_buffer_size(client)),
            // A divisor; `MixGraph` refuses the rates that are no use.
            sampleRate: max(1, Int(jack_get_sample_rate(client))))
        if let lost {
            patchbay = lost.patchbay(forClient: name)
        } else {
            patchbay = Patchbay(configuration, client: name)
        }
        do throws(JackError) {
            // Before anything of it is seen.
            if let lost, name != lost.configuration.name, !lost.takesAnyName {
                throw .refused(
                    client: lost.configuration.name, server: server,
                    status: JackNameNotUnique.rawValue)
            }
            try prepare()
        } catch {
            close()
            throw error
        }
        if name != configuration.name {
            pending.append(.warning(.nameTaken(wanted: configuration.name, given: name)))
        }
    }

    deinit { close() }

    /// What another client needs to take this one's place. To be asked right after `close`.
    public var lost: LostClient {
        var configuration = configuration
        configuration.name = name
        return LostClient(
            configuration: configuration, server: server, patchbay: patchbay,
            time: monotonicSeconds(), closing: closing)
    }

    /// Frames of a JACK cycle now.
    public var period: Int { isUsable ? unsafe Int(jack_get_buffer_size(client)) : reported.period }

    /// Readable (poll(2)) when `drainEvents` has something to tell.
    public let eventDescriptor: Int32

    /// Hangs up (poll(2)) when the server ends and libjack does not say so; −1 where it does.
    public let lifeline: Int32

    /// Whether libjack may be asked about the client.
    var isUsable: Bool { !isClosed && !isShutDown }

    /// Whether the server is gone; only `close` remains.
    public var isShutDown: Bool {
        isClosed
            ? reported.isShutDown
            : unsafe context.pointee.signals.isShutDown.load(ordering: .acquiring)
                || (lifeline >= 0 && cjack_has_hung_up(lifeline) != 0)
    }

    /// Full names of the microphone's ports: none, one, or left and right.
    public var microphonePorts: [String] { configuration.microphonePorts.map { "\(name):\($0)" } }

    /// Full names of the outputs, left and right.
    public var outputPorts: [String] { JackConfiguration.outputPorts.map { "\(name):\($0)" } }

    /// Starts the cycles and connects; the graph is rendered from the cycle after that on, fading
    /// in over 50 ms and the microphone over 1 s, so that nobody who is connected misses a frame.
    /// A connection that fails is a warning among the events.
    ///
    /// - Parameter graph: renders every cycle, with as many inputs as there are microphone ports,
    ///   at `sampleRate`, two outputs. The client keeps it for as long as a cycle may be inside.
    /// - Parameter isCancelled: asked 20 times a second while the server does not answer; true
    ///   ends the wait, which takes 4 s at most.
    /// - Throws: `serverLost`, `serverSilent`, `stopped`, `activationFailed`.
    public func activate(
        rendering graph: AudioGraph, unless isCancelled: () -> Bool = { false }
    ) throws(JackError) {
        precondition(!isActive)
        render(graph)
        // A call to jack_activate that does not come back may make the client active all the same.
        isActive = true
        let code = unsafe handle.ask(milliseconds: Opening.patience, unless: isCancelled) {
            unsafe jack_activate($0)
        }
        guard code == 0 else {
            guard !isShutDown else { throw .serverLost(reason: shutdownReason) }
            guard let code else { throw isCancelled() ? .stopped : .serverSilent(name: server) }
            throw .activationFailed(step: "jack_activate", code: Int(code))
        }
        metadata = describe()
        registered = []
        patch()
        unsafe context.pointee.signals.isPatched.store(true, ordering: .releasing)
    }

    /// Renders `graph`, which may be for another rate, from the next cycle on, with the fades of a
    /// start. Waits for the cycle under way, a second at most: where that hangs for longer, the
    /// graph of before is kept for ever. Not for a client that is closed: what the callbacks are
    /// given is freed.
    public func render(_ graph: AudioGraph) {
        precondition(!isClosed)
        let driver = UnsafeMutablePointer<LiveDriver>.allocate(capacity: 1)
        unsafe driver.initialize(
            to: LiveDriver(
                graph: graph.context, context: context, sampleRate: graph.sampleRate,
                measuresTime: configuration.measuresCallbackTime))
        let old = unsafe context.pointee.driver.exchange(driver, ordering: .sequentiallyConsistent)
        let isFree = waitUntil(milliseconds: 1000) {
            unsafe !context.pointee.signals.isInCycle.load(ordering: .sequentiallyConsistent)
        }
        if isFree {
            unsafe old?.deinitialize(count: 1)
            unsafe old?.deallocate()
        } else if let graph = self.graph {
            _ = unsafe Unmanaged.passRetained(graph)
        }
        self.graph = graph
    }

    /// Fades out over 10 ms, deactivates and closes the client. Waits about a second for a server
    /// that hangs, two where its period is long, one more for a cycle that does not end, and not at
    /// all for a server that is gone: libjack is left to a thread that may hang with it, and that
    /// frees what the callbacks are given when it does not. Where the process has no thread or
    /// descriptor left, libjack keeps the client until the process ends.
    ///
    /// - Returns: whether another driver may render the graph: false only when a cycle still is
    ///   inside it.
    @discardableResult public func close() -> Bool {
        guard !isClosed else { return true }
        if isActive && !isShutDown { fadeOut() }
        lastStatistics = statistics
        reported.isShutDown = isShutDown
        isClosed = true
        if lifeline >= 0 { Glibc.close(lifeline) }
        unsafe context.pointee.signals.isGone.store(true, ordering: .sequentiallyConsistent)
        let graphIsFree = waitUntil(milliseconds: 1000) {
            unsafe !context.pointee.signals.isInCycle.load(ordering: .sequentiallyConsistent)
        }
        let remains = unsafe Remains(
            client: handle, context: context, isActive: isActive, graph: graph,
            metadata: reported.isShutDown ? nil : metadata)
        closing = BoundedCall.start { remains.close() }
        // Callbacks still come, and use what remains.
        if closing == nil { _ = unsafe Unmanaged.passRetained(remains) }
        if !reported.isShutDown { _ = closing?.wait(milliseconds: 1000) }
        graph = nil
        return graphIsFree
    }
}

extension JackClient {
    private func fadeOut() {
        unsafe context.pointee.signals.isLeaving.store(true, ordering: .relaxed)
        // 10 ms, the cycle under way and the two after; a server that stands still is not
        // waited for. Both numbers are the server's: at 1 Hz a cycle would last for minutes.
        let cycle = min(period * 1000 / sampleRate, 250)
        _ = waitUntil(milliseconds: 100 + 4 * cycle) {
            unsafe isShutDown || context.pointee.signals.hasFadedOut.load(ordering: .acquiring)
        }
    }

    func waitUntil(milliseconds: Int, _ condition: () -> Bool) -> Bool {
        let end = monotonicSeconds() + Double(milliseconds) / 1000
        while !condition() {
            guard monotonicSeconds() < end else { return false }
            // The process thread may not make the system call that would wake us.
            usleep(1000)
        }
        return true
    }
}
