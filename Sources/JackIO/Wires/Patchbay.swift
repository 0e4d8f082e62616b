import SystemSupport

/// Decides which connections of the client's ports to make, from the ports that are there and the
/// connections that were made so far.
///
/// A connection that the user removed is made again only when the other port disappeared and came
/// back. When the server is lost, all connections that existed, made by any program, and all that
/// were requested are wanted again, each until JACK says that it is there or a warning says that it
/// will not be. Pure: asks JACK nothing and connects nothing itself.
struct Patchbay: Sendable {
    /// Whether the client of a port is known to be active. jackd lists a client's ports as soon as
    /// the client makes them, but reports them, and agrees to connect them, only once the client
    /// is active.
    private enum PortState {
        /// The client is active: it is hardware or our own, or JACK has reported the port.
        case active
        /// The port was there before our client was active, so JACK may have reported it before.
        case unknown
        /// JACK has not reported the port so far.
        case inactive
    }

    /// In the order in which their connections are requested.
    private var sides: [PatchbaySide]
    /// The state of each connection of the client.
    private var wires: [JackWire: WireState] = [:]
    /// All audio ports at the last look, by their names; empty before the first look.
    private var ports: [String: PortState] = [:]
    /// How many requests for connections were made.
    private var requestCount = 0

    init(_ sides: [PatchbaySide]) { self.sides = sides }

    /// The patchbay for `configuration` and a client called `name`.
    init(_ configuration: JackConfiguration, client name: String) {
        let wires = configuration.wires
        func side(
            _ side: JackWarning.Side, _ ports: [String], _ selection: PortSelection
        ) -> PatchbaySide {
            PatchbaySide(
                ports: ports.map { "\(name):\($0)" }, selection: wires == nil ? selection : .none,
                side: side)
        }
        let microphones = configuration.microphones.enumerated().map { index, microphone in
            side(.microphone(index + 1), microphone.ports, microphone.selection)
        }
        self.init(
            microphones + [side(.outputs, JackConfiguration.outputPorts, configuration.outputs)])
        for wire in wires ?? [] {
            self.wires[wire.named(name)] = WireState(isWanted: true, isPermanent: true)
        }
    }

    /// Keeps the present connections from now on, and makes none that a selection would choose.
    mutating func keep() {
        for (wire, state) in wires { wires[wire]?.isPermanent = state.isDesired }
        for index in sides.indices { sides[index].stop() }
    }

    /// The connections that exist, and those to be made as soon as their ports are there.
    var allWires: Set<JackWire> { Set(wires.filter(\.value.isDesired).keys) }

    /// The requested connections that the server may make at any moment, in the order of requests.
    var awaited: [JackWire] {
        requests { $0.answer == .awaited }.map(\.wire)
    }

    /// The connections to make and to remove, given the ports of other clients.
    ///
    /// - Parameters:
    ///   - sources: all audio ports that give sound, without the client's own.
    ///   - sinks: all audio ports that take sound, without the client's own.
    ///   - registered: names of ports registered since the last call; any connection to an earlier
    ///     port of that name is lost.
    ///   - frame: how many frames have been rendered.
    ///   - now: the time in seconds, of `monotonicSeconds`.
    mutating func work(
        sources: [JackPort], sinks: [JackPort], registered: Set<String> = [], at frame: Int = 0,
        now: Double = monotonicSeconds()
    ) -> PatchbayWork {
        // JACK reports our own ports, too, when our client activates: they are not looked at.
        let registered = registered.subtracting(sides.flatMap(\.ports))
        look(at: sources + sinks, registered: registered)
        for wire in wires.keys
        where [wire.from, wire.to].contains(where: { ports[$0] == nil || registered.contains($0) })
        {
            wires[wire]?.losePort(at: now)
        }
        let wanted = Set(wires.filter(\.value.isWanted).keys)
        var work = PatchbayWork()
        work.connect = wanted.filter { ports[$0.from] != nil && ports[$0.to] != nil }
        for index in sides.indices {
            sides[index].update(
                from: sides[index].isMicrophone ? sources : sinks, registered: registered,
                wanted: wanted, into: &work)
        }
        for wire in work.disconnect { wires[wire]?.giveUp() }
        work.connect = work.connect.filter {
            !work.disconnect.contains($0) && request($0, at: frame)
        }
        return work
    }

    /// Notes that the server refused a connection that `work` asked for. `warnAboutOverdue` warns
    /// of that later, and not at all when the server was about to die.
    mutating func note(refused wire: JackWire) {
        guard wires[wire]?.request?.answer == .awaited else { return }
        wires[wire]?.request?.answer = .refused
    }

    /// Notes that JACK has reported a connection of one of our ports. Returns whether this client
    /// asked for it, and not another program.
    @discardableResult
    mutating func note(connected wire: JackWire) -> Bool {
        wires[wire, default: WireState()].connect()
    }

    /// Notes that JACK has reported the end of a connection of one of our ports. Returns whether
    /// this client had asked for that connection.
    @discardableResult
    mutating func note(disconnected wire: JackWire, at now: Double) -> Bool {
        wires = wires.filter { !$0.value.isForgettable(at: now) }
        return wires[wire]?.disconnect(at: now) ?? false
    }

    /// The sides that were warned of and have got all their connections since the last call.
    mutating func settleWarnings() -> [JackWarning.Side] {
        sides.indices.compactMap { index in
            sides[index].settleWarning { wires[$0]?.isConnected ?? false }
        }
    }

    /// Gives up the connections that were requested at least `patience` frames before `frame` and
    /// are not there, and returns the warnings about them.
    ///
    /// - Parameter isConnected: whether JACK says that a connection is there; nil when one of its
    ///   ports is gone.
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

    /// The patchbay for a client called `new`, which replaces the client called `old` after that
    /// lost its server at the time `now`: it wants the connections that there were then.
    func afterLoss(of old: String, as new: String, at now: Double) -> Patchbay {
        func renamed(_ port: String) -> String {
            port.hasPrefix(old + ":") ? new + port.dropFirst(old.count) : port
        }
        var patchbay = Patchbay(sides.map { $0.afterLoss(renamed) })
        for (wire, state) in wires where !state.isForgettable(at: now) {
            let wire = JackWire(from: renamed(wire.from), to: renamed(wire.to))
            patchbay.wires[wire] = WireState(
                isWanted: state.isDesired || state.wasJustCut(at: now),
                isPermanent: state.isPermanent)
        }
        return patchbay
    }

    /// The unconfirmed requests for which `isIncluded` is true, in their order.
    private func requests(
        where isIncluded: (WireState.Request) -> Bool
    ) -> [(wire: JackWire, request: WireState.Request)] {
        wires.compactMap { wire, state in state.request.map { (wire, $0) } }
            .filter { isIncluded($0.request) }.sorted { $0.request.number < $1.request.number }
    }

    /// Notes that the server is asked for `wire`; false when it was asked already.
    private mutating func request(_ wire: JackWire, at frame: Int) -> Bool {
        guard wires[wire]?.request == nil else { return false }
        requestCount += 1
        wires[wire, default: WireState()].request = .init(number: requestCount, frame: frame)
        return true
    }

    /// Gives up `wire`, whose ports are there and not connected; returns the warning, if any.
    private mutating func warn(about wire: JackWire, isRefused: Bool) -> JackWarning? {
        let idle = [wire.from, wire.to].first { ports[$0] != .active }
        guard isRefused, let idle else {
            wires[wire]?.giveUp()
            return isRefused ? .connectionRefused(wire) : .connectionIgnored(wire)
        }
        // The connection is requested again when JACK reports the port.
        wires[wire]?.request?.answer = .expired
        guard ports[idle] == .unknown else { return nil }
        return .connectionRefusedOrInactive(wire, client: String(idle.prefix { $0 != ":" }))
    }

    /// Notes which ports are there, and which of their clients are active.
    private mutating func look(at others: [JackPort], registered: Set<String>) {
        let isFirst = ports.isEmpty
        var seen: [String: PortState] = [:]
        for name in sides.flatMap(\.ports) { seen[name] = .active }
        for port in others {
            let isActive = port.isPhysical || registered.contains(port.name)
            seen[port.name] =
                isActive ? .active : ports[port.name] ?? (isFirst ? .unknown : .inactive)
        }
        ports = seen
    }
}

/// The connections that a `Patchbay` wants to be made and removed.
struct PatchbayWork: Equatable {
    var connect: [JackWire] = []
    var disconnect: [JackWire] = []
    var warnings: [JackWarning] = []
}

/// The state of one connection of the client: whether it is there, requested or wanted.
struct WireState: Sendable {
    /// A dying server removes connections before this client notices its end. So a connection that
    /// was removed in the last second before that counts as removed by the server, not the user.
    private static let deathSeconds = 1.0

    /// The latest news from JACK about the connection.
    enum Report: Sendable, Equatable {
        case nothing
        /// `isOurs`: this client asked for the connection, and not another program.
        case connected(isOurs: Bool)
        /// `at`: in seconds, of `monotonicSeconds`.
        case disconnected(at: Double)
    }

    /// A request for the connection that JACK has not confirmed.
    struct Request: Sendable {
        enum Answer: Sendable {
            /// No answer so far: the connection may be made at any moment.
            case awaited
            case refused
            /// The wait is over without a final answer. There is no further warning about this
            /// request; the next request is made when a port of the connection comes back.
            case expired
        }

        /// Later requests have greater numbers.
        let number: Int
        /// How many frames had been rendered when the request was made.
        let frame: Int
        var answer = Answer.awaited

        /// Whether the request, made at least `patience` frames before `frame`, has not expired.
        func isOverdue(at frame: Int, patience: Int) -> Bool {
            answer != .expired && frame - self.frame >= patience
        }
    }

    var report = Report.nothing
    /// The open request. A server may accept a request and ignore it (`jackd -a e`), so the request
    /// stays until JACK says that the connection is there, or until it is overdue. Time is counted
    /// in rendered frames: with a dead server no request becomes overdue.
    var request: Request?
    /// Whether to request the connection as soon as both ports are there. True until JACK says that
    /// the connection is there, or a warning says that it will not be.
    var isWanted = false
    /// Whether the connection is wanted again whenever one of its ports comes back.
    var isPermanent = false

    var isConnected: Bool { if case .connected = report { true } else { false } }

    /// Whether the connection is there, or is to be made as soon as possible.
    var isDesired: Bool { isConnected || isWanted || request != nil }

    /// Whether the connection was removed so shortly before `now` that a dying server may have
    /// removed it.
    func wasJustCut(at now: Double) -> Bool {
        if case .disconnected(let time) = report { now - time < Self.deathSeconds } else { false }
    }

    /// Whether this state need not be kept any more.
    func isForgettable(at now: Double) -> Bool {
        !isDesired && !isPermanent && !wasJustCut(at: now)
    }

    /// Notes that JACK reports the connection. Returns whether this client asked for it.
    mutating func connect() -> Bool {
        let isOurs = report == .connected(isOurs: true) || isWanted || request != nil
        report = .connected(isOurs: isOurs)
        giveUp()
        return isOurs
    }

    /// Notes that JACK reports the end of the connection. Returns whether this client had asked for
    /// it.
    mutating func disconnect(at now: Double) -> Bool {
        guard case .connected(let isOurs) = report else { return false }
        report = .disconnected(at: now)
        return isOurs
    }

    /// Ends the request and the wish for the connection.
    mutating func giveUp() {
        isWanted = false
        request = nil
    }

    /// Notes that a port of the connection has gone, or that a new port has come under its name.
    /// JACK removes a connection before it removes the port.
    mutating func losePort(at now: Double) {
        request = nil
        if isPermanent, isConnected || wasJustCut(at: now) { isWanted = true }
    }
}

/// The configuration and connections of a closed client, as after the loss of its server: a new
/// client takes them over.
public struct LostClient: Sendable {
    /// The client's configuration, with the name that the server gave the client.
    public let configuration: JackConfiguration
    /// The server's name.
    public let server: String
    /// The connections at the time the client was closed, as `JackClient.wires`.
    public var wires: Set<JackWire> {
        let name = configuration.name
        return Set(patchbay(forClient: name).allWires.map { $0.nameless(name) })
    }

    /// The connections of the closed client.
    private let patchbay: Patchbay
    /// When the client was lost, in seconds, of `monotonicSeconds`.
    private let time: Double
    /// Whether the next client may get another name when the name is taken.
    var takesAnyName = false

    init(
        configuration: JackConfiguration, server: String, patchbay: Patchbay, time: Double
    ) {
        self.configuration = configuration
        self.server = server
        self.patchbay = patchbay
        self.time = time
    }

    /// The connections that a client called `name`, which replaces this client, is to make.
    func patchbay(forClient name: String) -> Patchbay {
        patchbay.afterLoss(of: configuration.name, as: name, at: time)
    }
}
