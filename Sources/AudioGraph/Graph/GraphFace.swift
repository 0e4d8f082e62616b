/// What most graphs have, made when it is asked for, and connections of several nodes in one edit.
extension Graph {
    /// The graph's `HardwareIO`: what is connected to it is played. A graph without one gets one when this
    /// is first asked for: it captures one channel, or in the graph of an `AudioEngine` as many as the
    /// client.
    public var outputNode: HardwareIO {
        if let hardware { return hardware }
        let made = HardwareIO(inputChannels: capturedChannels)
        do throws(GraphError) { try add(made) } catch { fatalError("\(error)") }
        return made
    }

    /// The graph's `HardwareIO` as a source: it gives what is captured. The same node as `outputNode`.
    public var inputNode: HardwareIO { outputNode }

    /// The graph's own mixer. It is made when it is first asked for, without inputs, which `connect`
    /// adds, and connected to `outputNode`, unless something else is. One that was removed is made
    /// again.
    public var mainMixer: MixerNode {
        if let madeMixer, madeMixer.graph === self { return madeMixer }
        let made = MixerNode(inputs: 0, name: "main mixer")
        let output = outputNode
        do throws(GraphError) {
            try edit { () throws(GraphError) in
                try add(made)
                if wiring.connection(to: output, bus: 0) == nil { try connect(made, to: output) }
            }
        } catch { fatalError("\(error)") }
        madeMixer = made
        return made
    }

    /// Connects the first output bus of `source` to an input bus.
    ///
    /// - Parameters:
    ///   - source: the node that gives: of a `HardwareIO` what it captures.
    ///   - sink: the node that takes.
    ///   - sinkBus: its input bus. Nil: the first; of a mixer the first to which nothing is connected, and
    ///     a mixer that has none gets one more.
    ///
    /// Throws as `connect(_:bus:to:bus:channels:)`.
    public func connect(
        _ source: AudioNode, to sink: AudioNode, bus sinkBus: Int? = nil
    ) throws(GraphError) {
        try edit { () throws(GraphError) in
            let bus = sinkBus ?? freeInput(of: sink)
            try connect(source, bus: source.outputBuses.lowerBound, to: sink, bus: bus)
        }
    }

    /// Connects nodes in a row, each to the next, in one edit. Nodes that are in no graph are added.
    ///
    /// ```swift
    /// try graph.chain(graph.inputNode, gate, compressor, graph.mainMixer)
    /// try graph.chain(graph.mainMixer, limiter, graph.outputNode)
    /// ```
    ///
    /// Where one of them feeds a later one already, as the main mixer the output, the row takes the
    /// place of that connection.
    ///
    /// Throws as `add` and `connect(_:to:bus:)`.
    public func chain(_ nodes: AudioNode...) throws(GraphError) {
        try edit { () throws(GraphError) in
            for node in nodes where node.graph !== self { try add(node) }
            for (place, sink) in nodes.enumerated().dropFirst() {
                let bus = freeInput(of: sink)
                let taken = wiring.connection(to: sink, bus: bus)
                if nodes[..<place].contains(where: { $0 === taken?.source }) {
                    disconnect(sink, bus: bus)
                }
                try connect(nodes[place - 1], to: sink, bus: bus)
            }
        }
    }

    /// Puts a node between two that are connected, in one edit; one that is in no graph is added.
    ///
    /// - Parameters:
    ///   - node: takes what `source` gives, and gives to `sink`. A mixer's values for the bus stay.
    ///   - source: gives to `sink` now.
    ///   - sink: the node that takes.
    ///   - bus: its input bus; nil: the first that was connected to `source`.
    ///
    /// Throws `notConnected`, and as `add` and `connect(_:bus:to:bus:channels:)`.
    public func insert(
        _ node: AudioNode, between source: AudioNode, and sink: AudioNode, bus: Int? = nil
    ) throws(GraphError) {
        try edit { () throws(GraphError) in
            let found = wiring.made.first {
                $0.source === source && $0.sink === sink && $0.kind == .audio
                    && (bus ?? $0.sinkBus) == $0.sinkBus
            }
            guard let found else { throw .notConnected(from: source.name, to: sink.name) }
            if node.graph !== self { try add(node) }
            disconnect(sink, bus: found.sinkBus)
            try connect(
                source, bus: found.sourceBus, to: node, bus: freeInput(of: node),
                channels: found.channels)
            try connect(node, to: sink, bus: found.sinkBus)
        }
    }

    /// The input bus that a connection takes which names none.
    private func freeInput(of sink: AudioNode) -> Int {
        guard let mixer = sink as? MixerNode, mixer.graph === self else { return 0 }
        let free = mixer.inputs.indices.first { wiring.connection(to: mixer, bus: $0) == nil }
        if let free { return free }
        return mixer.inputs.count < MixerNode.maximumInputs ? mixer.addInput().number : 0
    }
}
