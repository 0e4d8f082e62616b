/// The connections of a graph: those that are made, and those that were removed and are heard until
/// they have faded out. Control thread.
struct Connections {
    /// In the order in which they were made.
    private(set) var made: [Connection] = []
    private var fadingOut: [Connection] = []
    /// Of `made`, those that are compiled with a fade until they have faded in.
    private var fadingIn: [Connection] = []

    /// All that a plan renders.
    var audible: [Connection] { fadingOut + made }

    /// What is connected to an input bus.
    func connection(to sink: AudioNode, bus: Int) -> Connection? {
        made.first { $0.sink === sink && $0.sinkBus == bus }
    }

    mutating func add(_ connection: Connection) { made.append(connection) }

    mutating func remove(where matches: (Connection) -> Bool) { made.removeAll(where: matches) }

    /// Brings back what was made before.
    mutating func restore(_ before: [Connection]) { made = before }

    /// Makes all of them for a graph of `rate` Hz, without a fade.
    mutating func begin(at rate: Int) {
        made = made.map { $0.copy(sampleRate: rate) }
        (fadingIn, fadingOut) = ([], [])
    }

    /// Ends an edit that began with the connections `before`: what is new fades in, what is gone fades
    /// out, while somebody hears it. Returns what the render thread gets for that.
    mutating func fade(since before: [Connection], isHeard: Bool) -> [ParameterDelivery] {
        let old = Set(before.map { ObjectIdentifier($0) })
        let present = Set(made.map { ObjectIdentifier($0) })
        let new = made.filter { !old.contains(ObjectIdentifier($0)) }
        let gone = before.filter { !present.contains(ObjectIdentifier($0)) }
        fadingIn.removeAll { !present.contains(ObjectIdentifier($0)) }
        for connection in new where !connection.leadsBack { removeCycles(with: connection) }
        guard isHeard else { return [] }
        for connection in new where connection.sink.fadesConnections {
            connection.fadeIn()
            fadingIn.append(connection)
        }
        let heard = gone.filter(\.sink.fadesConnections)
        fadingOut += heard
        return heard.flatMap { $0.fadeOut() }
    }

    /// Ends the fades of connections that nothing renders: nobody hears them.
    mutating func endFades(where isUnheard: (Connection) -> Bool) {
        fadingOut.removeAll(where: isUnheard)
        for connection in fadingIn where isUnheard(connection) { connection.endFade() }
        fadingIn.removeAll(where: isUnheard)
    }

    /// Forgets the fades that are over; returns whether there were any.
    mutating func settle() -> Bool {
        let count = fadingOut.count + fadingIn.count
        fadingOut.removeAll(where: \.isGone)
        for connection in fadingIn where connection.isSettled { connection.endFade() }
        fadingIn.removeAll(where: \.isSettled)
        return fadingOut.count + fadingIn.count < count
    }

    // MARK: Ways through the graph

    /// Whether `node` gets input from `origin`, directly or through other nodes, or is it.
    func isFed(_ node: AudioNode, by origin: AudioNode) -> Bool {
        Self.reached(from: node, through: made, next: (\.sink, \.source))
            .contains(ObjectIdentifier(origin))
    }

    /// A connection that is still fading out may form a cycle with a new one; it is removed without
    /// a fade.
    private mutating func removeCycles(with new: Connection) {
        guard !fadingOut.isEmpty else { return }
        let before = Self.reached(from: new.source, through: audible, next: (\.sink, \.source))
        let after = Self.reached(from: new.sink, through: audible, next: (\.source, \.sink))
        fadingOut.removeAll {
            !$0.leadsBack && before.contains(ObjectIdentifier($0.sink))
                && after.contains(ObjectIdentifier($0.source))
        }
    }

    /// The nodes that connections lead to from `node`, which is among them: each is visited once,
    /// however many ways lead to it. A `HardwareIO` does not pass its input on to its output, and
    /// what a connection that leads back gives comes later.
    private static func reached(
        from node: AudioNode, through connections: [Connection],
        next: (from: KeyPath<Connection, AudioNode>, to: KeyPath<Connection, AudioNode>)
    ) -> Set<ObjectIdentifier> {
        let onward = Dictionary(grouping: connections.filter { !$0.leadsBack }) {
            ObjectIdentifier($0[keyPath: next.from])
        }
        var reached: Set<ObjectIdentifier> = []
        var waiting = [node]
        while let node = waiting.popLast() {
            guard !(node is HardwareIO), reached.insert(ObjectIdentifier(node)).inserted else {
                continue
            }
            waiting += onward[ObjectIdentifier(node), default: []].map { $0[keyPath: next.to] }
        }
        return reached
    }

    /// By how many frames each input bus of `sink` hears what `source` gives: the least and the most
    /// of all ways between them; nil when there is none. A `HardwareIO` is the end of a way, and its
    /// beginning.
    func latencies(from source: AudioNode, to sink: AudioNode) -> [ClosedRange<Int>?] {
        let feeding = Dictionary(grouping: made.filter { !$0.leadsBack && $0.kind == .audio }) {
            ObjectIdentifier($0.sink)
        }
        var known: [OutputBus: ClosedRange<Int>?] = [:]
        /// What comes out of a bus of `node` is so much later than what comes out of `source`.
        func latency(of node: AudioNode, bus: Int) -> ClosedRange<Int>? {
            if node === source { return 0...0 }
            if node is HardwareIO { return nil }
            if let found = known[OutputBus(bus, of: node)] { return found }
            let before = union(
                feeding[ObjectIdentifier(node), default: []].filter {
                    node.passes(input: $0.sinkBus, to: bus)
                })
            let sum = before.map {
                $0.lowerBound + node.latency...$0.upperBound + node.latency
            }
            known[OutputBus(bus, of: node)] = sum
            return sum
        }
        func union(_ connections: [Connection]) -> ClosedRange<Int>? {
            let all = connections.compactMap { latency(of: $0.source, bus: $0.sourceBus) }
            guard let least = all.map(\.lowerBound).min(), let most = all.map(\.upperBound).max()
            else { return nil }
            return least...most
        }
        let ends = Dictionary(grouping: feeding[ObjectIdentifier(sink), default: []], by: \.sinkBus)
        return (0..<sink.inputBusCount).map { union(ends[$0, default: []]) }
    }
}
