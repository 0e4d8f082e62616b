import AudioGraph

/// A graph with one unit between the microphone (1 channel, or silence) and the output.
struct UnitStage {
    let graph: Graph
    let io: HardwareIO
    let unit: AudioNode

    init(_ unit: AudioNode, sampleRate: Int = 48_000, channels: Int = 1) throws {
        graph = Graph(sampleRate: sampleRate)
        io = HardwareIO(inputChannels: channels)
        self.unit = unit
        if unit is HardwareIO {
            try graph.add(unit)
        } else {
            try graph.add(io)
            try graph.add(unit)
            for bus in 0..<unit.inputBusCount where unit.takesSound(bus) {
                try graph.connect(io, bus: 1, to: unit, bus: bus)
            }
            if unit.givesSound {
                try graph.connect(unit, to: io)
            } else if unit.unit.outputs.first?.kind == .control {
                // The gain that it gives is heard as that of the microphone.
                let mixer = MixerNode(inputs: 1)
                try graph.add(mixer)
                try graph.connect(io, bus: 1, to: mixer)
                try graph.connect(unit, to: mixer, bus: MixerNode.gainBus(of: 0))
                try graph.connect(mixer, to: io)
            }
        }
        try graph.prepare()
        try graph.start()
    }

    /// A unit of the registry; a queue player has something to play, for a quarter of a second.
    init(_ kind: UnitKind) throws {
        let unit = UnitRegistry.make(kind, sampleRate: 48_000)!
        if let player = unit as? QueuePlayerNode {
            let steady = [Float](repeating: 0.2, count: 12_000)
            try player.schedule(AudioBuffer([steady, steady], sampleRate: 48_000))
            player.start()
        }
        try self.init(unit)
        (unit as? QueuePlayerNode)?.prime()
    }

    /// Renders `input` in cycles of `period` frames; calls `edit` before each cycle.
    func render(
        _ input: [Float], period: Int = 64, edit: ((Int) throws -> Void)? = nil
    ) throws -> [[Float]] {
        try render(channels: [input], period: period, edit: edit)
    }

    /// As `render`, with an input for each channel of the microphone.
    func render(
        channels inputs: [[Float]], period: Int = 64, edit: ((Int) throws -> Void)? = nil
    ) throws -> [[Float]] {
        let renderer = try OfflineRenderer(graph, period: period)
        // Units that compute on a thread of their own are waited for. Songs and queues are not: what
        // comes late is what their tests are about, and the registry's have nothing to come.
        renderer.patience = unit is EffectNode ? 30_000 : 0
        guard let edit else { return renderer.render(frames: inputs[0].count, inputs: inputs) }
        var out: [[Float]] = [[], []]
        while out[0].count < inputs[0].count {
            let n = min(period, inputs[0].count - out[0].count)
            try edit(out[0].count)
            let part = renderer.render(
                frames: n, inputs: inputs.map { Array($0[out[0].count..<out[0].count + n]) })
            for channel in 0..<2 { out[channel] += part[channel] }
        }
        return out
    }
}

extension AudioNode {
    fileprivate func takesSound(_ bus: Int) -> Bool {
        unit.inputs.contains {
            $0.kind == .audio && bus >= $0.first && bus - $0.first < $0.count.upperBound
        }
    }

    fileprivate var givesSound: Bool { unit.outputs.first?.kind == .audio }
}
