import AudioGraph

/// Turns the song down while a microphone is heard: a ducker beside the mixer, which is there only
/// while it was asked for. Control thread.
final class SongDucking {
    private let graph: Graph
    private let mixer: MixerNode
    /// The buses of the microphones.
    private let voices: [Int]
    private var ducker: DuckerNode?
    /// What the ducker hears where there are several microphones: all of them.
    private var choir: MixerNode?
    /// The mixer that plays the song a second time, as the reference of a voice processor: it must be
    /// as soft there as it is heard.
    private var reference: MixerNode?
    private var values: [ParameterName: Double] = [:]

    /// - Parameters:
    ///   - mixer: with the song on bus 0.
    ///   - voices: its buses of microphones.
    init(of graph: Graph, mixer: MixerNode, voices: [Int]) {
        self.graph = graph
        self.mixer = mixer
        self.voices = voices
    }

    /// Sets a parameter of the ducker; a `depth` of 0 takes it out of the graph.
    func set(_ name: ParameterName, to value: Double) throws {
        values[name] = value
        let isOn = values[.depth, default: 0] < 0
        switch (isOn, ducker) {
        case (true, nil):
            let made = DuckerNode()
            for (name, value) in values { try made.set(name, to: value) }
            try graph.add(made)
            try listen(made)
            ducker = made
            try connectReference()
        case (true, let ducker?): try ducker.set(name, to: value)
        case (false, let old?):
            ducker = nil
            try graph.remove(old)
            if let choir { try graph.remove(choir) }
            choir = nil
        case (false, nil): break
        }
    }

    /// Connects the ducker, which is in the graph, to the voices and to the song.
    private func listen(_ ducker: DuckerNode) throws(GraphError) {
        guard voices.count > 1 else { return try ducker.duck(0, by: 1, of: mixer) }
        let choir = MixerNode(
            inputs: voices.count, name: "voices")
        try graph.add(choir)
        for (place, bus) in voices.enumerated() {
            try graph.connect(mixer, bus: MixerNode.directBus(of: bus), to: choir, bus: place)
        }
        try graph.connect(choir, to: ducker)
        try graph.connectBack(ducker, bus: 0, to: mixer, bus: MixerNode.gainBus(of: 0))
        self.choir = choir
    }

    /// The song is played a second time by `reference`; nil: it is not.
    func follow(_ reference: MixerNode?) throws {
        guard reference !== self.reference else { return }
        self.reference = reference
        try connectReference()
    }

    private func connectReference() throws(GraphError) {
        guard let ducker, let reference else { return }
        try graph.connectBack(ducker, bus: 0, to: reference, bus: MixerNode.gainBus(of: 0))
    }
}
