import SystemSupport

/// Which of the client's ports is to be connected to what, and what already was.
///
/// A connection that the user took away stays away; it is made again only when the other port
/// disappeared and came back. When the server is lost, all that was connected by whomever is
/// wanted again, and what was asked for too: only JACK's word that a wire is there, or a warning
/// that it will not be, ends that. Pure: it asks nothing of JACK and connects nothing itself.
struct Patchbay: Sendable {
    /// One connection to make (or to take away).
    typealias Wire = JackWire

    /// A server that dies takes connections away while its end is not known here yet; one that
    /// went so shortly before counts as taken by it.
    private static let dying = 1.0

    /// What is to be done now.
    struct Work: Equatable {
        var connect: [Wire] = []
        var disconnect: [Wire] = []
        var warnings: [JackWarning] = []
    }

    /// One side of the client: its microphone's ports, or its outputs.
    struct Side: Sendable {
        /// Full names of our ports, left first.
        private(set) var ports: [String]
        fileprivate(set) var selection: PortSelection
        let isMicrophone: Bool
        /// What each port was connected to.
        fileprivate var peers: [String?]
        /// Whether one match serves two ports until a second one comes.
        fileprivate var isShared: Bool {
            peers.count == 2 && peers[0] != nil && peers[0] == peers[1]
        }
        fileprivate var hasWarned = false
        /// Which ports' peers have not been there since the server was lost. They are waited for:
        /// another device that is back earlier is not taken in their place.
        fileprivate var unseen: Set<Int> = []
        /// Whether nothing has been looked for since then.
        fileprivate var isReborn = false

        init(ports: [String], selection: PortSelection, isMicrophone: Bool) {
            self.ports = ports
            self.selection = selection
            self.isMicrophone = isMicrophone
            peers = [String?](repeating: nil, count: ports.count)
        }

        fileprivate func renamed(_ rename: (String) -> String) -> Side {
            var side = self
            side.ports = ports.map(rename)
            side.peers = peers.map { $0.map(rename) }
            side.unseen = Set(peers.indices.filter { peers[$0] != nil })
            side.isReborn = true
            return side
        }

        fileprivate func wire(_ index: Int, _ peer: String) -> Wire {
            isMicrophone
                ? Wire(from: peer, to: ports[index]) : Wire(from: ports[index], to: peer)
        }
    }

    private var microphone: Side
    private var outputs: Side
    /// The client's connections, whoever made them.
    private var wires: Set<Wire> = []
    /// Those of them that were asked for here, and not made by other programs.
    private var made: Set<Wire> = []
    /// Those that were taken away, and when.
    private var cut: [Wire: Double] = [:]
    /// Those of before the server was lost that are not there again.
    private var wanted: Set<Wire> = []
    /// Those that were asked for one by one: wanted again whenever a port of theirs comes back.
    private var asked: Set<Wire> = []
    /// What the server was asked for, for whatever reason.
    private var requests = ConnectionRequests()
    /// Ports that were there before the client was active; nil: it is not yet.
    private var elders: Set<String>?
    /// Ports whose clients are known to be active: hardware, and what JACK told of. jackd lists a
    /// client's ports as soon as it makes them, tells of them when it activates, and refuses to
    /// connect them until then.
    private var active: Set<String> = []

    init(microphone: Side, outputs: Side) {
        self.microphone = microphone
        self.outputs = outputs
    }

    /// What `configuration` asks for, for a client called `name`.
    init(_ configuration: JackConfiguration, client name: String) {
        let wires = configuration.wires
        self.init(
            microphone: Side(
                ports: configuration.microphonePorts.map { "\(name):\($0)" },
                selection: wires == nil ? configuration.microphone : .none, isMicrophone: true),
            outputs: Side(
                ports: JackConfiguration.outputPorts.map { "\(name):\($0)" },
                selection: wires == nil ? configuration.outputs : .none, isMicrophone: false))
        asked = Set((wires ?? []).map { $0.named(name) })
        wanted = asked
    }

    /// From now on wants what it has, one by one, and nothing that a selection would choose.
    mutating func keep() {
        asked = allWires
        microphone.selection = .none
        outputs.selection = .none
    }

    /// What is connected, and what is to be as soon as it is there.
    var allWires: Set<Wire> { wires.union(wanted).union(requests.wires) }

    /// What the server was asked for and may connect any moment.
    var awaited: [Wire] { requests.awaited }

    /// What the ports of other clients ask for.
    ///
    /// - Parameters:
    ///   - sources: all audio ports that give sound, not the client's own.
    ///   - sinks: all that take it.
    ///   - reborn: names registered since the last call; whatever was connected to a port of
    ///     that name before is lost.
    ///   - frame: how many frames have been rendered.
    ///   - now: when that is.
    mutating func work(
        sources: [JackPort], sinks: [JackPort], reborn: Set<String> = [], at frame: Int = 0,
        now: Double = monotonicSeconds()
    ) -> Work {
        let own = Set(microphone.ports + outputs.ports)
        let others = sources + sinks
        let names = own.union(others.map(\.name))
        let told = reborn.subtracting(own)
        elders = elders?.intersection(names) ?? names
        active = active.union(told).union(others.filter(\.isPhysical).map(\.name))
            .intersection(names)
        requests.remove { wire in
            [wire.from, wire.to].contains { !names.contains($0) || told.contains($0) }
        }
        // JACK takes a connection away before its port goes.
        wanted.formUnion(
            asked.filter { wire in
                (wires.contains(wire) || cut[wire].map { now - $0 < Self.dying } ?? false)
                    && [wire.from, wire.to].contains { !names.contains($0) || told.contains($0) }
            })
        var work = Work()
        work.connect = wanted.filter { names.contains($0.from) && names.contains($0.to) }
        Self.update(&microphone, from: sources, reborn: reborn, wanted, into: &work)
        Self.update(&outputs, from: sinks, reborn: reborn, wanted, into: &work)
        work.disconnect.forEach { forget($0) }
        work.connect = work.connect.filter {
            !work.disconnect.contains($0) && requests.add($0, at: frame)
        }
        return work
    }

    /// The server said no to what `work` asked for; `takeOverdue` says what that means, unless it
    /// was a dying one's word.
    mutating func note(refused wire: Wire) { requests.refuse(wire) }

    /// Warnings about what was asked for `patience` frames before `frame` and is not there.
    ///
    /// - Parameter isConnected: what JACK says now; nil when a port is gone.
    mutating func takeOverdue(
        at frame: Int, patience: Int, isConnected: (Wire) -> Bool?
    ) -> [JackWarning] {
        requests.overdue(at: frame, patience: patience).compactMap { request in
            let wire = request.wire
            switch isConnected(wire) {
            case true?:
                note(connected: wire)
            case false?:
                let idle = [wire.from, wire.to].first { port in
                    !active.contains(port) && !(microphone.ports + outputs.ports).contains(port)
                }
                guard request.isRefused, let idle else {
                    forget(wire)
                    return request.isRefused ? .connectionRefused(wire) : .connectionIgnored(wire)
                }
                // Asked for again when JACK tells of the port.
                requests.hold(wire)
                guard elders?.contains(idle) == true else { return nil }
                return .connectionRefusedOrInactive(
                    wire, client: String(idle.prefix { $0 != ":" }))
            case nil:
                requests.hold(wire)
            }
            return nil
        }
    }

    /// JACK tells that one of our ports was connected; whether that was asked for here, and not by
    /// another program.
    @discardableResult
    mutating func note(connected wire: Wire) -> Bool {
        if wanted.contains(wire) || requests.wires.contains(wire) { made.insert(wire) }
        wires.insert(wire)
        cut[wire] = nil
        forget(wire)
        return made.contains(wire)
    }

    private mutating func forget(_ wire: Wire) {
        wanted.remove(wire)
        requests.remove { $0 == wire }
    }

    /// JACK tells that one of our ports was disconnected, by whomever; whether the connection had
    /// been asked for here.
    @discardableResult
    mutating func note(disconnected wire: Wire, at now: Double) -> Bool {
        let wasMade = made.remove(wire) != nil
        guard wires.remove(wire) != nil else { return wasMade }
        cut = cut.filter { now - $0.value < Self.dying }
        cut[wire] = now
        return wasMade
    }

    /// For a client called `new` in another server, after the one called `old` lost its own at
    /// `now`: wants what was connected then.
    func reborn(from old: String, as new: String, at now: Double) -> Patchbay {
        func renamed(_ port: String) -> String {
            port.hasPrefix(old + ":") ? new + port.dropFirst(old.count) : port
        }
        var patchbay = Patchbay(
            microphone: microphone.renamed(renamed), outputs: outputs.renamed(renamed))
        let lost = allWires.union(cut.filter { now - $0.value < Self.dying }.keys)
        func renamed(_ wires: Set<Wire>) -> Set<Wire> {
            Set(wires.map { Wire(from: renamed($0.from), to: renamed($0.to)) })
        }
        patchbay.wanted = renamed(lost)
        patchbay.asked = renamed(asked)
        return patchbay
    }

    private static func update(
        _ side: inout Side, from ports: [JackPort], reborn: Set<String>, _ wanted: Set<Wire>,
        into work: inout Work
    ) {
        guard side.selection != .none, !side.ports.isEmpty else { return }
        let names = Set(ports.map(\.name))
        for index in side.peers.indices {
            guard let peer = side.peers[index] else { continue }
            if side.unseen.contains(index) {
                if names.contains(peer) { side.unseen.remove(index) }
            } else if !names.contains(peer) || reborn.contains(peer) {
                side.peers[index] = nil
            }
        }
        let chosen = side.selection.choose(
            from: ports, channelCount: side.ports.count, isMicrophone: side.isMicrophone)
        if side.isShared, let shared = side.peers[1], let better = chosen[1],
            chosen[0] == shared, better != shared
        {
            work.disconnect.append(side.wire(1, shared))
            side.peers[1] = nil
        }
        for index in side.peers.indices where side.peers[index] == nil {
            guard let peer = chosen[index] else { continue }
            side.peers[index] = peer
            work.connect.append(side.wire(index, peer))
        }
        if side.isReborn {
            side.isReborn = false
            let missing = side.unseen.sorted().compactMap { index -> String? in
                guard let peer = side.peers[index], wanted.contains(side.wire(index, peer))
                else { return nil }
                return peer
            }
            if !missing.isEmpty { work.warnings.append(.portsNotBack(missing)) }
        }
        if side.peers.contains(nil) && !side.hasWarned {
            side.hasWarned = true
            work.warnings.append(warning(for: side, among: ports))
        }
    }

    private static func warning(for side: Side, among ports: [JackPort]) -> JackWarning {
        let candidates = ports.filter { $0.suits(microphone: side.isMicrophone) }.prefix(6)
            .map(\.name)
        let place: JackWarning.Side = side.isMicrophone ? .microphone : .outputs
        let patterns: [String]
        switch side.selection {
        case .automatic, .none: return .noPhysicalPort(place, candidates: candidates)
        case .one(let pattern): patterns = [pattern.text]
        case .two(let first, let second):
            patterns = zip([first, second], side.peers + [nil]).filter { $0.1 == nil }
                .map(\.0.text)
        }
        return .noMatch(place, patterns: patterns, candidates: candidates)
    }
}
