import SystemSupport

/// Which of the client's ports is to be connected to what, and what already was.
///
/// A connection that the user took away stays away; it is made again only when the other port
/// disappeared and came back. When the server is lost, all that was connected by whomever is
/// wanted again, and what was asked for too: only JACK's word that a connection is there, or a
/// warning that it will not be, ends that. Pure: it asks nothing of JACK and connects nothing
/// itself.
struct Patchbay: Sendable {
    /// Whether the client of a port is known to be active. jackd lists a client's ports as soon as
    /// it makes them, tells of them when it activates, and refuses to connect them until then.
    private enum PortState {
        /// It is: the port is hardware's or our own, or JACK told of it.
        case active
        /// The port was there before our client was active, and JACK may have told of it then.
        case unknown
        /// JACK has not told of the port so far.
        case inactive
    }

    private var microphone: PatchbaySide
    private var outputs: PatchbaySide
    /// All that is known of each connection of the client.
    private var wires: [JackWire: WireState] = [:]
    /// All audio ports at the last look, by their names; empty before the first look.
    private var ports: [String: PortState] = [:]
    /// How many connections the server was asked for.
    private var requestCount = 0

    init(microphone: PatchbaySide, outputs: PatchbaySide) {
        self.microphone = microphone
        self.outputs = outputs
    }

    /// What `configuration` asks for, for a client called `name`.
    init(_ configuration: JackConfiguration, client name: String) {
        let wires = configuration.wires
        self.init(
            microphone: PatchbaySide(
                ports: configuration.microphonePorts.map { "\(name):\($0)" },
                selection: wires == nil ? configuration.microphone : .none, isMicrophone: true),
            outputs: PatchbaySide(
                ports: JackConfiguration.outputPorts.map { "\(name):\($0)" },
                selection: wires == nil ? configuration.outputs : .none, isMicrophone: false))
        for wire in wires ?? [] {
            self.wires[wire.named(name)] = WireState(isWanted: true, isPermanent: true)
        }
    }

    /// From now on wants what it has, one by one, and nothing that a selection would choose.
    mutating func keep() {
        for (wire, state) in wires { wires[wire]?.isPermanent = state.isDesired }
        microphone.stop()
        outputs.stop()
    }

    /// What is connected, and what is to be as soon as it is there.
    var allWires: Set<JackWire> { Set(wires.filter(\.value.isDesired).keys) }

    /// What the server was asked for and may connect any moment, in the order of the requests.
    var awaited: [JackWire] {
        requests { $0.answer == .awaited }.map(\.wire)
    }

    /// What the ports of other clients ask for.
    ///
    /// - Parameters:
    ///   - sources: all audio ports that give sound, not the client's own.
    ///   - sinks: all that take it.
    ///   - registered: names of ports registered since the last call; whatever was connected to a
    ///     port of that name before is lost.
    ///   - frame: how many frames have been rendered.
    ///   - now: when that is, in seconds, of `monotonicSeconds`.
    mutating func work(
        sources: [JackPort], sinks: [JackPort], registered: Set<String> = [], at frame: Int = 0,
        now: Double = monotonicSeconds()
    ) -> PatchbayWork {
        // JACK tells of our own ports when our client activates.
        let registered = registered.subtracting(microphone.ports + outputs.ports)
        look(at: sources + sinks, registered: registered)
        for wire in wires.keys
        where [wire.from, wire.to].contains(where: { ports[$0] == nil || registered.contains($0) })
        {
            wires[wire]?.losePort(at: now)
        }
        let wanted = Set(wires.filter(\.value.isWanted).keys)
        var work = PatchbayWork()
        work.connect = wanted.filter { ports[$0.from] != nil && ports[$0.to] != nil }
        microphone.update(from: sources, registered: registered, wanted: wanted, into: &work)
        outputs.update(from: sinks, registered: registered, wanted: wanted, into: &work)
        for wire in work.disconnect { wires[wire]?.giveUp() }
        work.connect = work.connect.filter {
            !work.disconnect.contains($0) && request($0, at: frame)
        }
        return work
    }

    /// The server said no to what `work` asked for. `warnAboutOverdue` says what that means, unless
    /// the server was about to die.
    mutating func note(refused wire: JackWire) {
        guard wires[wire]?.request?.answer == .awaited else { return }
        wires[wire]?.request?.answer = .refused
    }

    /// JACK tells that one of our ports was connected; whether that was asked for here, and not by
    /// another program.
    @discardableResult
    mutating func note(connected wire: JackWire) -> Bool {
        wires[wire, default: WireState()].connect()
    }

    /// JACK tells that one of our ports was disconnected, by whomever; whether the connection had
    /// been asked for here.
    @discardableResult
    mutating func note(disconnected wire: JackWire, at now: Double) -> Bool {
        wires = wires.filter { !$0.value.isForgettable(at: now) }
        return wires[wire]?.disconnect(at: now) ?? false
    }

    /// Ends the wait for what was asked for `patience` frames before `frame`, or earlier, and is
    /// not there.
    ///
    /// - Parameter isConnected: what JACK says now; nil when a port is gone.
    mutating func warnAboutOverdue(
        at frame: Int, patience: Int, isConnected: (JackWire) -> Bool?
    ) -> [JackWarning] {
        requests { $0.isOverdue(at: frame, patience: patience) }.compactMap { wire, request in
            switch isConnected(wire) {
            case true?:
                note(connected: wire)
                return nil
            case false?: return warn(about: wire, isRefused: request.answer == .refused)
            case nil:
                wires[wire]?.request?.answer = .expired
                return nil
            }
        }
    }

    /// For a client called `new` in another server, after the one called `old` lost its own at
    /// `now`: wants what was connected then.
    func afterLoss(of old: String, as new: String, at now: Double) -> Patchbay {
        func renamed(_ port: String) -> String {
            port.hasPrefix(old + ":") ? new + port.dropFirst(old.count) : port
        }
        var patchbay = Patchbay(
            microphone: microphone.afterLoss(renamed), outputs: outputs.afterLoss(renamed))
        for (wire, state) in wires where !state.isForgettable(at: now) {
            let wire = JackWire(from: renamed(wire.from), to: renamed(wire.to))
            patchbay.wires[wire] = WireState(
                isWanted: state.isDesired || state.wasJustCut(at: now),
                isPermanent: state.isPermanent)
        }
        return patchbay
    }

    /// The unconfirmed requests that `isIncluded` takes, in their order.
    private func requests(
        where isIncluded: (WireState.Request) -> Bool
    ) -> [(wire: JackWire, request: WireState.Request)] {
        wires.compactMap { wire, state in state.request.map { (wire, $0) } }
            .filter { isIncluded($0.request) }.sorted { $0.request.number < $1.request.number }
    }

    /// Notes that the server is asked for `wire`; false: it was already.
    private mutating func request(_ wire: JackWire, at frame: Int) -> Bool {
        guard wires[wire]?.request == nil else { return false }
        requestCount += 1
        wires[wire, default: WireState()].request = .init(number: requestCount, frame: frame)
        return true
    }

    /// Ends the wait for `wire`, whose ports are there and not connected.
    private mutating func warn(about wire: JackWire, isRefused: Bool) -> JackWarning? {
        let idle = [wire.from, wire.to].first { ports[$0] != .active }
        guard isRefused, let idle else {
            wires[wire]?.giveUp()
            return isRefused ? .connectionRefused(wire) : .connectionIgnored(wire)
        }
        // Asked for again when JACK tells of the port.
        wires[wire]?.request?.answer = .expired
        guard ports[idle] == .unknown else { return nil }
        return .connectionRefusedOrInactive(wire, client: String(idle.prefix { $0 != ":" }))
    }

    /// Notes which ports are there, and which of their clients are active.
    private mutating func look(at others: [JackPort], registered: Set<String>) {
        let isFirst = ports.isEmpty
        var seen: [String: PortState] = [:]
        for name in microphone.ports + outputs.ports { seen[name] = .active }
        for port in others {
            let isActive = port.isPhysical || registered.contains(port.name)
            seen[port.name] =
                isActive ? .active : ports[port.name] ?? (isFirst ? .unknown : .inactive)
        }
        ports = seen
    }
}
