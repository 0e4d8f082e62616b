import AudioGraph

/// Turns the song down while the microphone is heard: a ducker beside the mixer, which is there only
/// while it was asked for. Control thread.
final class SongDucking {
    private let graph: Graph
    private let mixer: MixerNode
    private var ducker: DuckerNode?
    /// The mixer that plays the song a second time, as the reference of a voice processor: it must be
    /// as soft there as it is heard.
    private var reference: MixerNode?
    private var values: [ParameterName: Double] = [:]

    /// - Parameter mixer: with the song on bus 0 and the microphone on bus 1.
    init(of graph: Graph, mixer: MixerNode) {
        self.graph = graph
        self.mixer = mixer
    }

    /// Sets a parameter of the ducker; a `depth` of 0 takes it out of the graph.
    func set(_ name: ParameterName, to value: Double) throws {
        values[name] = value
        let isOn = values[.depth, default: 0] < 0
        switch (isOn, ducker) {
        case (true, nil):
            let made = DuckerNode(sampleRate: graph.sampleRate)
            for (name, value) in values { try made.set(name, to: value) }
            try graph.add(made)
            try made.duck(0, by: 1, of: mixer)
            ducker = made
            try connectReference()
            try graph.update()
        case (true, let ducker?): try ducker.set(name, to: value)
        case (false, let old?):
            ducker = nil
            try graph.remove(old)
            try graph.update()
        case (false, nil): break
        }
    }

    /// The song is played a second time by `reference`; nil: it is not.
    func follow(_ reference: MixerNode?) throws {
        guard reference !== self.reference else { return }
        self.reference = reference
        try connectReference()
        try graph.update()
    }

    private func connectReference() throws(GraphError) {
        guard let ducker, let reference else { return }
        try graph.connectBack(ducker, bus: 0, to: reference, bus: MixerNode.gainBus(of: 0))
    }
}
