import CJack
import Synchronization

// What is known of a client and its server.
extension JackClient {
    /// The way from the microphone to the ear as JACK knows it now; without a microphone's port
    /// its capture range is 0…0.
    public var latency: JackLatency {
        guard isUsable else {
            return JackLatency(capture: .zero, playback: .zero, sampleRate: sampleRate)
        }
        return unsafe JackLatency(
            capture: .union(of: context.pointee.inputs, mode: JackCaptureLatency),
            playback: .union(of: context.pointee.outputs, mode: JackPlaybackLatency),
            sampleRate: sampleRate)
    }

    /// What the client's ports are connected to, by whomever, as far as `drainEvents` has told,
    /// and what they are to be connected to; its own ports as `:port`.
    public var wires: Set<JackWire> {
        Set(patchbay.allWires.map { $0.nameless(name) })
    }

    /// Whether a microphone's port and an output are connected, so that somebody may be heard.
    public var isMonitoring: Bool {
        guard isUsable else { return false }
        return unsafe [context.pointee.inputs, context.pointee.outputs].allSatisfy { ports in
            unsafe ports.contains { port in unsafe jack_port_connected(port) > 0 }
        }
    }

    /// What the process callback has done so far; after `close`, what it had done until then.
    public var statistics: CallbackStatistics {
        if let lastStatistics { return lastStatistics }
        return unsafe CallbackStatistics(
            cycles: context.pointee.signals.cycles.load(ordering: .acquiring),
            frames: context.pointee.signals.frames.load(ordering: .relaxed),
            xruns: context.pointee.signals.xruns.load(ordering: .relaxed),
            worstNanoseconds: context.pointee.signals.worstNanoseconds.load(ordering: .relaxed),
            totalNanoseconds: context.pointee.signals.totalNanoseconds.load(ordering: .relaxed))
    }

    /// The scheduling of the process thread. Defined from the first cycle on.
    public var scheduling: ThreadScheduling {
        guard isUsable, statistics.cycles > 0 else {
            return ThreadScheduling(thread: nil, isServerRealtime: false)
        }
        return ThreadScheduling(
            thread: unsafe jack_client_thread_id(client),
            isServerRealtime: unsafe jack_is_realtime(client) != 0)
    }

    /// The audio ports of the server that give sound or take it, but this client's own; none
    /// once it is gone.
    func ports(offering direction: JackPortFlags) throws(JackError) -> [JackPort] {
        guard isUsable else { return [] }
        guard let ports = JackPort.list(by: handle, offering: direction) else {
            throw .serverSilent(name: server)
        }
        return ports
    }

    /// What `port`, of any client, knows of the way to the outside; 0…0 when it is gone.
    func latency(of port: JackPort, mode: jack_latency_callback_mode_t) -> LatencyRange {
        guard isUsable, let handle = unsafe jack_port_by_name(client, port.name) else {
            return .zero
        }
        var range = jack_latency_range_t()
        unsafe jack_port_get_latency_range(handle, mode, &range)
        return LatencyRange(minimum: Int(range.min), maximum: Int(range.max))
    }
}
