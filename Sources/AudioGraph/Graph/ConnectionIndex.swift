/// An output bus of a node.
struct OutputBus: Hashable {
    private let node: ObjectIdentifier
    private let number: Int

    init(_ number: Int, of node: AudioNode) {
        self.node = ObjectIdentifier(node)
        self.number = number
    }
}

/// The connections that a plan renders, found by their ends.
struct ConnectionIndex {
    private let all: [Connection]
    private let bySink: [Sink: [Connection]]
    private let bySource: [OutputBus: [Connection]]

    /// An input bus: of a mixer by its `MixerInput`, for when it fades out its number may be
    /// another's.
    private struct Sink: Hashable {
        let owner: ObjectIdentifier
        let number: Int
        let kind: BusKind

        init(of connection: Connection) {
            owner = ObjectIdentifier(connection.mixerInput ?? connection.sink)
            number = connection.mixerInput == nil ? connection.sinkBus : 0
            kind = connection.kind
        }

        init(_ owner: AnyObject, _ number: Int, _ kind: BusKind) {
            self.owner = ObjectIdentifier(owner)
            self.number = number
            self.kind = kind
        }
    }

    init(_ connections: [Connection]) {
        all = connections
        bySink = Dictionary(grouping: connections) { Sink(of: $0) }
        bySource = Dictionary(grouping: connections) { OutputBus($0.sourceBus, of: $0.source) }
    }

    /// What an input bus of a node other than a mixer gets.
    func connections(to node: AudioNode, bus: Int) -> [Connection] {
        bySink[Sink(node, bus, node.kind(ofInput: bus) ?? .audio), default: []]
    }

    /// What an input of a mixer gets: sound, or gains.
    func connections(to input: MixerInput, _ kind: BusKind) -> [Connection] {
        bySink[Sink(input, 0, kind), default: []]
    }

    /// What a node gets, all its inputs together.
    func connections(to node: AudioNode) -> [Connection] { all.filter { $0.sink === node } }

    /// Whether no other input reads the buffers that an input bus of a node gets, so that the node
    /// may change them in place.
    func isOnlyReader(_ node: AudioNode, bus: Int) -> Bool {
        connections(to: node, bus: bus).allSatisfy { connection in
            let source = connection.source
            let readers = bySource[OutputBus(connection.sourceBus, of: source), default: []]
            return readers.allSatisfy { $0.sink === node && $0.sinkBus == bus }
                && source.givesBuffersAway
                && (!source.passesInputOn || isOnlyReader(source, bus: 0))
        }
    }
}
