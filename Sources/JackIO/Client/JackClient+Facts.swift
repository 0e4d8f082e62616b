import CJack
import Glibc
import Synchronization
import SystemSupport

/// The position and state of JACK's transport.
public struct JackTransport: Sendable, Hashable {
    /// The transport's frame at the cycle under way, at the server's rate.
    public var frame: Int
    /// Whether the transport moves.
    public var isRolling: Bool
    /// Whether the transport is about to roll, and waits for the programs that follow it.
    public var isStarting: Bool

    public init(frame: Int = 0, isRolling: Bool = false, isStarting: Bool = false) {
        self.frame = frame
        self.isRolling = isRolling
        self.isStarting = isStarting
    }
}

/// Whether JACK's process thread has realtime scheduling.
public struct ThreadScheduling: Sendable, Hashable {
    /// Whether the server wants realtime scheduling for its clients.
    public let isServerRealtime: Bool
    /// Whether the thread has SCHED_FIFO or SCHED_RR.
    public let isRealtime: Bool
    /// The realtime priority, 1…99; 0 without realtime scheduling.
    public let priority: Int

    /// Reads the scheduling of `thread`, which must be running; nil: the thread is not known.
    init(thread: jack_native_thread_t?, isServerRealtime: Bool) {
        var policy: Int32 = -1
        var parameter = sched_param()
        if let thread, unsafe pthread_getschedparam(thread, &policy, &parameter) != 0 {
            policy = -1
        }
        self.isServerRealtime = isServerRealtime
        // Without the bit that the kernel sets when children do not inherit the policy.
        let plain = policy & ~Int32(0x4000_0000)
        isRealtime = policy >= 0 && (plain == SCHED_FIFO || plain == SCHED_RR)
        priority = isRealtime ? Int(parameter.sched_priority) : 0
    }
}

// What is asked of libjack when it is read, if the client is open and its server there.
extension JackClient {
    /// The name that the server gave: the wanted name, with a suffix when it was taken.
    public var name: String { handle.name }

    /// The server's name.
    public var server: String { handle.server }

    /// Full names of the microphone ports: those of the first microphone, by channel, then one of
    /// each further one.
    public var microphonePorts: [String] { configuration.microphonePorts.map { "\(name):\($0)" } }

    /// Full names of the outputs, left and right.
    public var outputPorts: [String] { JackConfiguration.outputPorts.map { "\(name):\($0)" } }

    /// The sample rate in Hz, as of the last `drainEvents`.
    public var sampleRate: Int { numbers.sampleRate }

    /// Frames in a JACK cycle now.
    public var period: Int {
        isUsable ? unsafe Int(jack_get_buffer_size(handle.client)) : numbers.period
    }

    /// The latency from the microphone to the ear as JACK knows it now. The capture range is 0…0
    /// when the client has no microphone port.
    public var latency: JackLatency {
        guard isUsable else {
            return JackLatency(capture: .zero, playback: .zero, sampleRate: sampleRate)
        }
        return unsafe JackLatency(
            capture: .union(of: context.pointee.inputs, mode: JackCaptureLatency),
            playback: .union(of: context.pointee.mixOutputs, mode: JackPlaybackLatency),
            graph: context.pointee.addedLatency(toOutput: 0) ?? .zero, sampleRate: sampleRate)
    }

    /// The latency between `port`, of any client, and the outside; 0…0 when the port is gone.
    func latency(of port: JackPort, mode: jack_latency_callback_mode_t) -> LatencyRange {
        guard isUsable, let port = unsafe jack_port_by_name(handle.client, port.name) else {
            return .zero
        }
        var range = jack_latency_range_t()
        unsafe jack_port_get_latency_range(port, mode, &range)
        return LatencyRange(minimum: Int(range.min), maximum: Int(range.max))
    }

    /// Where the outputs lead now, and where the first microphone comes from: what a measured round
    /// trip holds for. Nil when a side is not connected. Asks no server, so that it never waits.
    public var loopPath: LoopPath? {
        guard isUsable else { return nil }
        return LoopPath(
            sinks: unsafe context.pointee.mixOutputs.flatMap(handle.peers),
            sources: unsafe context.pointee.inputs.prefix(1).flatMap(handle.peers),
            sampleRate: sampleRate, period: period)
    }

    /// Whether a microphone port and an output are connected, so that a voice may be heard.
    public var isMonitoring: Bool {
        guard isUsable else { return false }
        return unsafe [context.pointee.inputs, context.pointee.mixOutputs].allSatisfy { ports in
            unsafe ports.contains { port in unsafe jack_port_connected(port) > 0 }
        }
    }

    /// The scheduling of the process thread. Defined from the first cycle on.
    public var scheduling: ThreadScheduling {
        guard isUsable, statistics.cycles > 0 else {
            return ThreadScheduling(thread: nil, isServerRealtime: false)
        }
        return ThreadScheduling(
            thread: unsafe jack_client_thread_id(handle.client),
            isServerRealtime: unsafe jack_is_realtime(handle.client) != 0)
    }

    // MARK: Period and transport

    /// Answers the event `period`: the caller is ready for cycles of `frames` frames, and they may
    /// begin. Without this answer they begin after 200 ms.
    public func take(period frames: Int) {
        guard isUsable else { return }
        unsafe context.pointee.periodTaken.store(UInt32(clamping: frames), ordering: .releasing)
    }

    /// Asks the server for cycles of `frames` frames, for all its clients. False when the server
    /// did not make them so within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard isUsable, let frames = jack_nframes_t(exactly: frames) else { return false }
        let isTaken = unsafe handle.ask(milliseconds: 3000) { client in
            unsafe jack_set_buffer_size(client, frames) == 0
        }
        // PipeWire answers before it has changed the period.
        return isTaken == true
            && PolledWait.run(milliseconds: 1000) { period == Int(frames) }
    }

    /// Where JACK's transport is; nil without a server.
    public var transport: JackTransport? {
        guard isUsable else { return nil }
        var position = jack_position_t()
        let state = unsafe jack_transport_query(handle.client, &position)
        // A server that died during the call has left no valid position.
        guard isUsable else { return nil }
        return JackTransport(
            frame: Int(position.frame),
            isRolling: state == JackTransportRolling || state == JackTransportLooping,
            isStarting: state == JackTransportStarting || state == JackTransportNetStarting)
    }

    /// Lets the transport roll from the next cycle on, or when all followers are ready.
    public func startTransport() {
        if isUsable { unsafe jack_transport_start(handle.client) }
    }

    /// Stops the transport with the next cycle.
    public func stopTransport() {
        if isUsable { unsafe jack_transport_stop(handle.client) }
    }

    /// Puts the transport at `frame` with the next cycle. JACK counts in 32 bits (24 hours at
    /// 48 kHz): a frame outside that range becomes the nearest end of it.
    public func locateTransport(to frame: Int) {
        guard isUsable else { return }
        unsafe jack_transport_locate(handle.client, jack_nframes_t(clamping: frame))
    }
}
