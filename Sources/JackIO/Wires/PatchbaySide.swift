/// One side of a client, the ports of a microphone or its outputs: which port of another client the
/// selection has found for each of them.
struct PatchbaySide: Sendable {
    /// The port of another client that the selection has found for a port of the client.
    private enum Peer: Sendable {
        case none
        /// This port, which was there at the last look.
        case found(String)
        /// This port, before the server was lost; there was no look since then.
        case lost(String)
        /// This port, before the server was lost; it was not there at any look since then. It is
        /// waited for: another device that is back earlier is not taken in its place.
        case awaited(String)

        var name: String? {
            switch self {
            case .none: nil
            case .found(let name), .lost(let name), .awaited(let name): name
            }
        }
    }

    /// Full names of the client's ports, left first.
    private(set) var ports: [String]
    private var selection: PortSelection
    private let side: JackWarning.Side
    /// Whether its ports take sound.
    var isMicrophone: Bool { side != .outputs }
    /// The peer of each of `ports`, in the same order.
    private var peers: [Peer]
    private var warning = Warning.none

    /// The warning that a port of the side has no peer.
    private enum Warning { case none, given, settled }

    init(ports: [String], selection: PortSelection, side: JackWarning.Side) {
        self.ports = ports
        self.selection = selection
        self.side = side
        peers = [Peer](repeating: .none, count: ports.count)
    }

    /// The peers that the selection chooses: patterns for each channel may be fewer than channels.
    private var chosenPeers: ArraySlice<Peer> {
        guard case .each(let patterns) = selection, peers.count > 1 else { return peers[...] }
        return peers.prefix(patterns.count)
    }

    /// Makes the selection find nothing from now on.
    mutating func stop() { selection = .none }

    /// The side for the client that replaces this one after the server was lost; `rename` gives the
    /// new name of a port.
    func afterLoss(_ rename: (String) -> String) -> PatchbaySide {
        var side = self
        side.ports = ports.map(rename)
        side.peers = peers.map { peer in peer.name.map { .lost(rename($0)) } ?? .none }
        return side
    }

    /// Adds to `work` the connections that the selection chooses among `offered`.
    ///
    /// - Parameters:
    ///   - offered: other clients' ports for this side.
    ///   - registered: names of ports registered since the last look: an earlier port with such a
    ///     name has gone.
    ///   - wanted: connections that are requested anyway.
    mutating func update(
        from offered: [JackPort], registered: Set<String>, wanted: Set<JackWire>,
        into work: inout PatchbayWork
    ) {
        guard selection != .none, !ports.isEmpty else { return }
        let missing = look(at: Set(offered.map(\.name)), registered: registered)
            .filter { wanted.contains($0.wire) }.map(\.peer)
        let chosen = selection.choose(
            from: offered, channelCount: ports.count, isMicrophone: isMicrophone)
        // The first match serves all ports until each has a match of its own.
        for index in peers.indices.dropFirst() {
            guard let shared = peers[0].name, peers[index].name == shared, chosen[0] == shared,
                let better = chosen[index], better != shared
            else { continue }
            work.disconnect.append(wire(index, shared))
            peers[index] = .none
        }
        for index in peers.indices {
            guard case .none = peers[index], let peer = chosen[index] else { continue }
            peers[index] = .found(peer)
            work.connect.append(wire(index, peer))
        }
        if !missing.isEmpty { work.warnings.append(.portsNotBack(missing)) }
        if warning == .none, chosenPeers.contains(where: { $0.name == nil }) {
            warning = .given
            work.warnings.append(warning(candidates: offered))
        }
    }

    /// Returns which side it is, once, when it was warned of and each of its ports is now connected to
    /// the peer that the selection has found for it; else nil.
    mutating func settleWarning(isConnected: (JackWire) -> Bool) -> JackWarning.Side? {
        guard warning == .given,
            chosenPeers.indices.allSatisfy({ index in
                peers[index].name.map { isConnected(wire(index, $0)) } ?? false
            })
        else { return nil }
        warning = .settled
        return side
    }

    /// Notes which peers are there among `names`. Of the peers that are looked for the first time
    /// since the server was lost, returns those that are missing.
    private mutating func look(
        at names: Set<String>, registered: Set<String>
    ) -> [(wire: JackWire, peer: String)] {
        var missing: [(wire: JackWire, peer: String)] = []
        for index in peers.indices {
            switch peers[index] {
            case .none: break
            case .found(let peer):
                if !names.contains(peer) || registered.contains(peer) { peers[index] = .none }
            case .lost(let peer) where !names.contains(peer):
                peers[index] = .awaited(peer)
                missing.append((wire(index, peer), peer))
            case .lost(let peer), .awaited(let peer):
                if names.contains(peer) { peers[index] = .found(peer) }
            }
        }
        return missing
    }

    private func wire(_ index: Int, _ peer: String) -> JackWire {
        isMicrophone
            ? JackWire(from: peer, to: ports[index]) : JackWire(from: ports[index], to: peer)
    }

    private func warning(candidates offered: [JackPort]) -> JackWarning {
        let candidates = offered.filter { $0.suits(microphone: isMicrophone) }.prefix(6)
            .map(\.name)
        switch selection {
        case .automatic, .none: return .noPhysicalPort(side, candidates: candidates)
        case .one(let pattern):
            return .noMatch(side, patterns: [pattern.text], candidates: candidates)
        case .each(let patterns):
            // A single port takes a match of any pattern.
            let found = peers.map(\.name) + [String?](repeating: nil, count: patterns.count)
            let missing = zip(patterns, found).filter { $0.1 == nil }
            return .noMatch(side, patterns: missing.map(\.0.text), candidates: candidates)
        }
    }
}
