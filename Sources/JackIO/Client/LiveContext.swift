import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// Counters of the process callback since activation.
public struct CallbackStatistics: Sendable, Hashable {
    /// Cycles rendered.
    public let cycles: Int
    /// Frames rendered.
    public let frames: Int
    /// Xruns that JACK reported.
    public let xruns: Int
    /// The longest cycle's processor time in nanoseconds, by CLOCK_THREAD_CPUTIME_ID; 0 when it is
    /// not measured.
    public let worstNanoseconds: UInt64
    /// The processor time of all cycles; 0 when it is not measured.
    public let totalNanoseconds: UInt64
}

/// The argument of all callbacks of one client: what they and the control thread leave for each
/// other. Allocated before the callbacks are set, freed after `jack_client_close`.
///
/// Any thread may use the atomics without waiting.
@safe struct LiveContext: ~Copyable {
    /// A change of ports or connections, in the order in which JACK told it.
    enum Change {
        case registered(String)
        case unregistered
        case connected(from: String, to: String)
        case disconnected(from: String, to: String)
        /// The server refused a connection that the client asked for.
        case refused(JackWire)
    }

    /// The client that the callbacks belong to.
    let client: OpaquePointer
    /// Becomes readable when a callback has news (`crealtime_event_create`).
    let descriptor: Int32
    /// Hangs up when the server ends, where libjack does not report that; else −1.
    let lifeline: Int32
    /// Whether the server begins cycles of a new period only when the callback that tells it has
    /// returned, as jackd does. PipeWire (0.3.65) calls it on another thread and renders meanwhile.
    let periodWaits = !Libjack.isPipeWire
    /// Whether the songs follow JACK's transport; set before `jack_activate`.
    var followsTransport = false
    /// The client's ports, for the latency callback; set by the control thread.
    var inputs: [OpaquePointer]
    var outputs: [OpaquePointer]
    /// The outputs of the mix, whose latency is the monitoring latency.
    var mixOutputs: [OpaquePointer] { unsafe Array(outputs.prefix(2)) }

    // Written by the process callback.
    /// Cycles that rendered the graph; silent ones do not count.
    let renderedCycles = Atomic<Int>(0)
    let renderedFrames = Atomic<Int>(0)
    let worstNanoseconds = Atomic<UInt64>(0)
    let totalNanoseconds = Atomic<UInt64>(0)
    let isInCycle = Atomic<Bool>(false)
    let hasFadedOut = Atomic<Bool>(false)

    // Written by the control thread, read by the process callback.
    /// What renders the cycles.
    let driver = unsafe Atomic<UnsafeMutablePointer<LiveDriver>?>(nil)
    /// Whether the first connections were asked for: rendering may begin.
    let areConnectionsRequested = Atomic<Bool>(false)
    let isLeaving = Atomic<Bool>(false)
    /// Whether the control thread has the graph: the cycles are silent.
    let isGraphAway = Atomic<Bool>(false)
    /// Whether the client is being closed: no cycle renders any more.
    let isClientClosed = Atomic<Bool>(false)

    // Written by the control thread, read by other callbacks.
    /// The period that the control thread is ready for.
    let periodTaken = Atomic<UInt32>(0)
    /// What the graph adds on the way from the microphone to each pair of outputs; nil where no way
    /// leads.
    let addedLatencies = Guarded<[LatencyRange?]>([])

    // Written by the other callbacks.
    let xruns = Atomic<Int>(0)
    let xrunMicroseconds = Atomic<Int>(0)
    let period = Atomic<UInt32>(0)
    let sampleRate = Atomic<UInt32>(0)
    let isFreewheeling = Atomic<Bool>(false)
    let latencyChanges = Atomic<Int>(0)
    let isShutDown = Atomic<Bool>(false)
    let shutdownStatus = Atomic<UInt32>(0)
    /// Changes that the notification thread saw, or that libjack answered, and that the control
    /// thread has not read yet.
    let changes = Guarded<[Change]>([])

    init(client: OpaquePointer, descriptor: Int32, lifeline: Int32) {
        unsafe self.client = client
        self.descriptor = descriptor
        self.lifeline = lifeline
        unsafe inputs = []
        unsafe outputs = []
    }

    /// Makes the control thread look for news. Async-signal-safe, and never blocks: the descriptor
    /// is non-blocking, and a full counter means that the control thread is being woken already.
    /// A system call: the process callback never makes it.
    func wake() { crealtime_event_signal(descriptor) }

    /// Keeps `change` for the control thread. Any thread but the process thread; blocks briefly.
    func note(_ change: sending Change) {
        changes.withLock { $0.append(change) }
        wake()
    }

    /// What the graph adds on the way from the microphone to the output port `index`; nil where no
    /// way leads. Blocks briefly.
    func addedLatency(toOutput index: Int) -> LatencyRange? {
        addedLatencies.withLock { $0.indices.contains(index / 2) ? $0[index / 2] : nil }
    }
}

// What the control thread asks.
extension LiveContext {
    /// Whether the server is gone, or has thrown the client out: libjack is not to be asked about
    /// the client any more.
    var isLost: Bool {
        isShutDown.load(ordering: .acquiring) || (lifeline >= 0 && cjack_has_hung_up(lifeline) != 0)
    }

    /// Why the client is lost, as a sentence.
    var lossReason: String {
        shutdownStatus.load(ordering: .relaxed) & JackClientZombie.rawValue != 0
            ? "the JACK server threw the client out" : "the JACK server has ended"
    }

    /// The counters of the process callback.
    var statistics: CallbackStatistics {
        CallbackStatistics(
            cycles: renderedCycles.load(ordering: .acquiring),
            frames: renderedFrames.load(ordering: .relaxed),
            xruns: xruns.load(ordering: .relaxed),
            worstNanoseconds: worstNanoseconds.load(ordering: .relaxed),
            totalNanoseconds: totalNanoseconds.load(ordering: .relaxed))
    }

    /// Waits for the end of the cycle under way, a second at most, and returns whether it ended.
    func awaitEndOfCycle() -> Bool {
        PolledWait.run(milliseconds: 1000) { !isInCycle.load(ordering: .sequentiallyConsistent) }
    }

    /// Frees the context of a client that libjack has closed, with its driver and its descriptor.
    static func free(_ context: UnsafeMutablePointer<LiveContext>) {
        if let driver = unsafe context.pointee.driver.load(ordering: .acquiring) {
            unsafe driver.deinitialize(count: 1)
            unsafe driver.deallocate()
        }
        let descriptor = unsafe context.pointee.descriptor
        unsafe context.deinitialize(count: 1)
        unsafe context.deallocate()
        close(descriptor)
    }

    /// Sets the callbacks of the client `handle`, then makes its ports: jack.h requires both before
    /// `jack_activate`.
    ///
    /// - Throws: `portRefused`, `activationFailed`.
    static func prepare(
        _ context: UnsafeMutablePointer<LiveContext>, of handle: ClientHandle,
        _ configuration: JackConfiguration
    ) throws(JackError) {
        let client = unsafe handle.client
        let argument = UnsafeMutableRawPointer(context)
        func set(_ callback: String, _ code: Int32) throws(JackError) {
            guard code == 0 else {
                throw .activationFailed(step: "jack_set_\(callback)_callback", code: Int(code))
            }
        }
        unsafe try set(
            "thread_init", jack_set_thread_init_callback(client, duetThreadInit, argument))
        unsafe try set("process", jack_set_process_callback(client, duetProcess, argument))
        unsafe try set("xrun", jack_set_xrun_callback(client, duetXrun, argument))
        unsafe try set(
            "buffer_size", jack_set_buffer_size_callback(client, duetBufferSize, argument))
        unsafe try set(
            "sample_rate", jack_set_sample_rate_callback(client, duetSampleRate, argument))
        unsafe try set("freewheel", jack_set_freewheel_callback(client, duetFreewheel, argument))
        unsafe try set("latency", jack_set_latency_callback(client, duetLatency, argument))
        unsafe try set(
            "port_registration",
            jack_set_port_registration_callback(client, duetPortRegistration, argument))
        unsafe try set(
            "port_connect", jack_set_port_connect_callback(client, duetPortConnect, argument))
        if configuration.followsTransport {
            unsafe try set("sync", jack_set_sync_callback(client, duetSync, argument))
            unsafe context.pointee.followsTransport = true
        }
        unsafe jack_on_info_shutdown(client, duetShutdown, argument)
        for port in configuration.microphonePorts {
            unsafe context.pointee.inputs.append(try handle.makePort(port, JackPortIsInput))
        }
        for port in configuration.allOutputPorts {
            unsafe context.pointee.outputs.append(try handle.makePort(port, JackPortIsOutput))
        }
    }
}
