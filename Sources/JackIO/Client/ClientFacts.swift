import CJack

/// Facts about a client and its server, asked of libjack when they are read. To be used only while
/// the client is open and its server is there. Control thread.
@safe struct ClientFacts {
    private let client: OpaquePointer
    private let handle: ClientHandle
    private let inputs: [OpaquePointer]
    private let outputs: [OpaquePointer]
    private let added: LatencyRange

    init(_ opened: OpenClient) {
        unsafe client = opened.client
        handle = opened.handle
        unsafe inputs = opened.context.pointee.inputs
        unsafe outputs = opened.context.pointee.mixOutputs
        added = unsafe opened.context.pointee.addedLatency(toOutput: 0) ?? .zero
    }

    /// Frames in a cycle.
    var period: Int { unsafe Int(jack_get_buffer_size(client)) }

    /// The latency from the microphone to the ear, at `sampleRate` Hz. The capture range is 0…0
    /// when the client has no microphone port.
    func latency(sampleRate: Int) -> JackLatency {
        unsafe JackLatency(
            capture: .union(of: inputs, mode: JackCaptureLatency),
            playback: .union(of: outputs, mode: JackPlaybackLatency), graph: added,
            sampleRate: sampleRate)
    }

    /// The latency between `port`, of any client, and the outside; 0…0 when the port is gone.
    func latency(of port: JackPort, mode: jack_latency_callback_mode_t) -> LatencyRange {
        guard let port = unsafe jack_port_by_name(client, port.name) else { return .zero }
        var range = jack_latency_range_t()
        unsafe jack_port_get_latency_range(port, mode, &range)
        return LatencyRange(minimum: Int(range.min), maximum: Int(range.max))
    }

    /// Where the outputs lead and the first microphone port comes from; nil when a side is not
    /// connected.
    func loopPath(sampleRate: Int) -> LoopPath? {
        LoopPath(
            sinks: unsafe outputs.flatMap(peers), sources: unsafe inputs.prefix(1).flatMap(peers),
            sampleRate: sampleRate, period: period)
    }

    /// The ports that `port` is connected to.
    private func peers(of port: OpaquePointer) -> [JackPort] {
        guard let names = unsafe jack_port_get_connections(port) else { return [] }
        defer { unsafe jack_free(names) }
        var peers: [JackPort] = []
        var index = 0
        while let name = unsafe names[index] {
            index += 1
            if let peer = unsafe JackPort.named(String(cString: name), by: client) {
                peers.append(peer)
            }
        }
        return peers
    }

    /// Whether each side of the client that is connected has a known latency.
    var isLatencyKnown: Bool {
        unsafe Self.isLatencyKnown(inputs, JackCaptureLatency)
            && Self.isLatencyKnown(outputs, JackPlaybackLatency)
    }

    private static func isLatencyKnown(
        _ ports: [OpaquePointer], _ mode: jack_latency_callback_mode_t
    ) -> Bool {
        unsafe ports.allSatisfy { port in unsafe jack_port_connected(port) == 0 }
            || LatencyRange.union(of: ports, mode: mode) != .zero
    }

    /// Whether a microphone port and an output are connected, so that a voice may be heard.
    var isMonitoring: Bool {
        unsafe [inputs, outputs].allSatisfy { ports in
            unsafe ports.contains { port in unsafe jack_port_connected(port) > 0 }
        }
    }

    /// The scheduling of the process thread. Defined after the first cycle has begun.
    var scheduling: ThreadScheduling {
        ThreadScheduling(
            thread: unsafe jack_client_thread_id(client),
            isServerRealtime: unsafe jack_is_realtime(client) != 0)
    }

    /// All audio ports of the server that give sound or take it, without this client's own; nil
    /// when the server hangs. Takes 2 s at most.
    func ports(offering direction: JackPortFlags) -> [JackPort]? {
        JackPort.list(by: handle, offering: direction)
    }

    /// Whether `wire`, which has a port of this client, is connected; nil when one of its ports is
    /// gone.
    func isConnected(_ wire: JackWire) -> Bool? {
        guard let from = unsafe jack_port_by_name(client, wire.from),
            let to = unsafe jack_port_by_name(client, wire.to)
        else { return nil }
        return unsafe jack_port_is_mine(client, from) != 0
            ? jack_port_connected_to(from, wire.to) != 0
            : jack_port_connected_to(to, wire.from) != 0
    }

    /// Where JACK's transport is.
    var transport: JackTransport {
        var position = jack_position_t()
        let state = unsafe jack_transport_query(client, &position)
        return JackTransport(
            frame: Int(position.frame),
            isRolling: state == JackTransportRolling || state == JackTransportLooping,
            isStarting: state == JackTransportStarting || state == JackTransportNetStarting)
    }
}
