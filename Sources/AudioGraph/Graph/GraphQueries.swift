/// A connection of a graph, as it was when it was asked for.
public struct ConnectionDescription {
    /// The node that gives.
    public let source: AudioNode
    /// Its output bus.
    public let sourceBus: Int
    /// The node that takes.
    public let sink: AudioNode
    /// Its input bus.
    public let sinkBus: Int
    /// Whether sound flows, or gains.
    public let kind: BusKind
    /// The channels of the output that the input gets, where `connect` named them; nil: as many as
    /// the input takes.
    public let channels: [Int]?
    /// What the input gets: the graph's rate, and so many channels; one of gains.
    public let format: StreamFormat
    /// Whether it was made by `connectBack`: the sink is rendered before the source.
    public let leadsBack: Bool
}

extension Graph {
    /// All connections, in the order in which they were made. What was disconnected and fades out is
    /// not among them.
    public var connections: [ConnectionDescription] {
        wiring.made.map { made in
            ConnectionDescription(
                source: made.source, sourceBus: made.sourceBus, sink: made.sink,
                sinkBus: made.sinkBus, kind: made.kind, channels: made.channels,
                format: format(of: made), leadsBack: made.leadsBack)
        }
    }

    /// What flows through a connection.
    func format(of connection: Connection) -> StreamFormat {
        let count = connection.source.channelCount(ofOutput: connection.sourceBus, in: self)
        return StreamFormat(
            sampleRate: sampleRate, channelCount: connection.channels(of: count)?.count ?? count)
    }

    /// The most changes that wait for their frame.
    static let mostWaitingChanges = 128

    /// How many changes wait for their frame.
    var waitingChanges: Int {
        if !isEdited { gather() }
        return edits.waitingCount + (transaction?.scheduled.count ?? 0)
    }

    /// Calls `body` on the control thread with every change of a parameter of the graph's nodes,
    /// whoever made it, when `collect` is called. Ends with the object that is returned.
    ///
    /// - Parameters:
    ///   - whenHeard: false: each parameter that has changed, once, with its last value. True: each
    ///     change when it was made on the render thread, with the frame from which it holds.
    ///   - body: called with each change.
    public func addListener(
        whenHeard: Bool = false, _ body: @escaping (ParameterChange) -> Void
    ) -> ParameterListener {
        listeners.add(body, whenHeard: whenHeard)
    }

    /// How many plans are not freed yet; 1 when `collect` has nothing more to free.
    var planCount: Int { edits.plans.count }
}

extension AudioNode {
    /// What an input bus gets: the graph's rate, and the number of channels. Nil where nothing is
    /// connected, and outside of a graph.
    public func format(ofInput bus: Int) -> StreamFormat? {
        guard let graph, let found = graph.wiring.connection(to: self, bus: bus) else { return nil }
        return graph.format(of: found)
    }

    /// What an output bus gives: the graph's rate, and the number of channels, which may depend on
    /// what is connected to the inputs. Nil where there is no such bus, and outside of a graph.
    public func format(ofOutput bus: Int) -> StreamFormat? {
        guard let graph, kind(ofOutput: bus) != nil else { return nil }
        return StreamFormat(
            sampleRate: graph.sampleRate, channelCount: channelCount(ofOutput: bus, in: graph))
    }

    /// The first of the unit's factory presets whose values all hold now, set in whichever way; nil
    /// when there is none.
    public var currentPreset: Preset? {
        unit.presets.first { $0.values.allSatisfy { parameters[$0.key] == $0.value } }
    }

    fileprivate func channelCount(ofOutput bus: Int, in graph: Graph) -> Int {
        kind(ofOutput: bus) == .control ? 1 : outputChannelCount(bus: bus, in: graph)
    }
}
