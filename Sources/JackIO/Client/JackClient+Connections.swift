import CJack
import Glibc
import Synchronization
import SystemSupport

extension JackClient {
    /// The connections of the client's ports, made by any program, as of the last `drainEvents`,
    /// and those still to be made. The client's own ports are written `:port`.
    public var wires: Set<JackWire> { Set(patchbay.allWires.map { $0.nameless(name) }) }

    /// Keeps the present connections from now on, as if `JackConfiguration.wires` named them, and
    /// makes none that a selection would choose.
    public func keepWires() { patchbay.keep() }

    /// Waits until the requested connections are made and, where a microphone may be heard, their
    /// latency is known, but no longer than `milliseconds`. Does not wait for refused connections or
    /// absent ports.
    public func awaitConnections(milliseconds: Int = 100) {
        guard isUsable else { return }
        _ = PolledWait.run(milliseconds: milliseconds) {
            isLost
                || patchbay.awaited.allSatisfy { isConnected($0) == true }
                    && (!isMonitoring || isLatencyKnown)
        }
    }

    /// The changes of ports and connections that JACK has told since the last call, as events.
    func takeChanges() -> [JackEvent] {
        let changes = unsafe context.pointee.changes.withLock { list in
            defer { list = [] }
            return list
        }
        var events: [JackEvent] = []
        for change in changes {
            switch change {
            case .registered(let name):
                registeredPorts = (registeredPorts ?? []).union([name])
            case .unregistered: registeredPorts = registeredPorts ?? []
            case .connected(let from, let to):
                let isOurs = patchbay.note(connected: .init(from: from, to: to))
                events.append(.connected(from: from, to: to, isOurs: isOurs))
            case .disconnected(let from, let to):
                let wasOurs = patchbay.note(
                    disconnected: .init(from: from, to: to), at: monotonicSeconds())
                events.append(.disconnected(from: from, to: to, isOurs: wasOurs))
            case .refused(let wire): patchbay.note(refused: wire)
            }
        }
        return events
    }

    /// Makes the connections that are wanted now, if ports have come or gone. While the server
    /// hangs, this is left to the next call.
    func connect() -> [JackEvent] {
        guard let new = registeredPorts, let sources = handle.ports(offering: JackPortIsOutput),
            let sinks = handle.ports(offering: JackPortIsInput)
        else { return [] }
        registeredPorts = nil
        let work = patchbay.work(
            sources: sources, sinks: sinks, registered: new, at: statistics.frames)
        request(work)
        return takeChanges() + work.warnings.map { .warning($0) }
    }

    /// Asks the server to make and remove the connections in `work`, and notes refused ones as
    /// changes. Waits 1 s for a server that hangs; the remaining requests follow when it goes on.
    private func request(_ work: PatchbayWork) {
        guard !work.disconnect.isEmpty || !work.connect.isEmpty else { return }
        // Safety: the context is freed only after the handle is closed.
        nonisolated(unsafe) let context = unsafe context
        unsafe handle.ask { client in
            for wire in work.disconnect { unsafe jack_disconnect(client, wire.from, wire.to) }
            for wire in work.connect {
                let code = unsafe jack_connect(client, wire.from, wire.to)
                if code != 0 && code != EEXIST { unsafe context.pointee.note(.refused(wire)) }
            }
        }
    }

    /// A warning for each connection that the server was asked for and did not make within
    /// `patience` frames.
    func overdueWarnings(patience: Int) -> [JackEvent] {
        patchbay.warnAboutOverdue(
            at: statistics.frames, patience: patience, isConnected: isConnected
        ).map { .warning($0) }
    }

    /// Whether `wire`, which has a port of this client, is connected; nil when one of its ports is
    /// gone.
    private func isConnected(_ wire: JackWire) -> Bool? {
        let client = unsafe handle.client
        guard let from = unsafe jack_port_by_name(client, wire.from),
            let to = unsafe jack_port_by_name(client, wire.to)
        else { return nil }
        return unsafe jack_port_is_mine(client, from) != 0
            ? jack_port_connected_to(from, wire.to) != 0
            : jack_port_connected_to(to, wire.from) != 0
    }

    /// Whether each side of the client that is connected has a known latency.
    private var isLatencyKnown: Bool {
        unsafe Self.isLatencyKnown(context.pointee.inputs, JackCaptureLatency)
            && Self.isLatencyKnown(context.pointee.mixOutputs, JackPlaybackLatency)
    }

    private static func isLatencyKnown(
        _ ports: [OpaquePointer], _ mode: jack_latency_callback_mode_t
    ) -> Bool {
        unsafe ports.allSatisfy { port in unsafe jack_port_connected(port) == 0 }
            || LatencyRange.union(of: ports, mode: mode) != .zero
    }

    /// Sets the names of the client and its ports and the order of the ports, by which patchbays show
    /// them, and returns the properties that were set. A failure is not fatal: patchbays then show
    /// the plain names. May block.
    func describe() -> [JackMetadata.Property] {
        let (name, configuration) = (name, configuration)
        nonisolated(unsafe) let ports = unsafe context.pointee.inputs + context.pointee.outputs
        let properties =
            unsafe handle.ask { client in
                unsafe JackMetadata.properties(
                    of: client, name: name, configuration: configuration, ports: ports)
            } ?? []
        if !JackMetadata.set(properties, by: handle) {
            JackLog.receive("JACK did not take all metadata of the client \(name)")
        }
        return properties
    }
}

// MARK: Ports

extension ClientHandle {
    /// The audio ports of the server that give sound (`offering` output) or take it, in `PortOrder`,
    /// without the client's own. Never MIDI ports. Nil when the server hangs. Takes 1 s at most, and
    /// another second for the order.
    func ports(offering direction: JackPortFlags) -> [JackPort]? {
        let answer = unsafe ask { client in
            var found: [(port: JackPort, subject: jack_uuid_t)] = []
            for name in unsafe Self.names(
                jack_get_ports(client, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue)))
            {
                if let port = unsafe jack_port_by_name(client, name),
                    unsafe jack_port_is_mine(client, port) == 0, let seen = unsafe JackPort(port)
                {
                    found.append((seen, unsafe jack_port_uuid(port)))
                }
            }
            return found
        }
        guard let found = answer else { return nil }
        let orders = JackMetadata.orders(of: found.map(\.subject), by: self)
        return PortOrder.sorted(
            zip(found, orders).map { found, order in
                JackPort(
                    name: found.port.name, aliases: found.port.aliases,
                    isPhysical: found.port.isPhysical, order: order)
            })
    }

    /// The ports that `port` is connected to, without their order, which would take a question to the
    /// server.
    func peers(of port: OpaquePointer) -> [JackPort] {
        unsafe Self.names(jack_port_get_connections(port)).compactMap { name in
            unsafe jack_port_by_name(client, name).flatMap { unsafe JackPort($0) }
        }
    }

    /// Copies a list of names of libjack's, and frees it.
    private static func names(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String] {
        guard let list = unsafe list else { return [] }
        defer { unsafe jack_free(list) }
        var names: [String] = []
        while let name = unsafe list[names.count] { names.append(unsafe String(cString: name)) }
        return names
    }
}

extension JackPort {
    /// Describes `port` as it is now, without its order; nil when the port is gone.
    init?(_ port: OpaquePointer) {
        guard let name = unsafe jack_port_name(port) else { return nil }
        let flags = unsafe UInt32(bitPattern: jack_port_flags(port))
        self.init(
            name: unsafe String(cString: name), aliases: unsafe Self.aliases(of: port),
            isPhysical: flags & JackPortIsPhysical.rawValue != 0)
    }

    private static func aliases(of port: OpaquePointer) -> [String] {
        let size = Int(jack_port_name_size())
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 2 * size)
        defer { unsafe text.deallocate() }
        unsafe text.initialize(repeating: 0, count: 2 * size)
        var slots: [UnsafeMutablePointer<CChar>?] = unsafe [text, text + size]
        let count = unsafe jack_port_get_aliases(port, &slots)
        return (0..<max(0, min(Int(count), 2))).map {
            unsafe String(cString: text + $0 * size)
        }
    }
}
