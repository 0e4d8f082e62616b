import TestSupport

@testable import AudioGraph

/// A mixer of three sources with two effects behind, which is edited while noise passes it.
final class EditStage {
    let graph = Graph(sampleRate: 48_000)
    let io = HardwareIO(inputChannels: 2)
    let mixer = MixerNode(inputs: 3)
    let gain = GainNode()
    let equalizer = EqualizerNode()
    let renderer: OfflineRenderer
    private let noise: [[Float]]
    private var position = 0

    init(seed: UInt64 = 1) throws {
        noise = (0..<2).map { Signal.noise(60_000, seed: seed &+ UInt64($0), amplitude: 0.2) }
        for node in [io, mixer, gain, equalizer] as [AudioNode] { try graph.add(node) }
        for bus in 0..<3 { try graph.connect(io, bus: 1, to: mixer, bus: bus, channels: [bus % 2]) }
        try graph.connect(mixer, to: gain)
        try graph.connect(gain, to: equalizer)
        try graph.connect(equalizer, to: io)
        gain.gain = Volume(gain: 0.5)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph, period: 64)
    }

    /// The next frames.
    func render(_ frames: Int) -> [[Float]] {
        defer { position += frames }
        return renderer.render(
            frames: frames, inputs: noise.map { Array($0[position..<position + frames]) })
    }

    /// Nodes, connections, and the values of all parameters.
    var state: [String] {
        let values = graph.nodes.flatMap { node in
            node.unit.parameters.filter { !$0.isReadOnly }.flatMap { parameter in
                (0..<node.elementCount(in: parameter.scope)).map { element in
                    let address = ParameterAddress(
                        parameter.name, scope: parameter.scope, element: element)
                    return "\(node.name) \(address): \(node.parameters[address])"
                }
            }
        }
        let rooms = mixer.inputs.map { "\($0.number) \($0.hasMonoPan)" }
        return [graph.description, "\(graph.waitingChanges) wait"] + values + rooms
    }

    /// One step of an edit, chosen by numbers so that two stages make the same.
    func step(_ choice: Int, _ place: Int, _ amount: Double) throws {
        let input = mixer.inputs.isEmpty ? nil : mixer.inputs[place % mixer.inputs.count]
        switch choice {
        case 0: input?.volume = Volume(gain: amount)
        case 1: input?.pan = Pan(2 * amount - 1)
        case 2: input?.isMuted.toggle()
        case 3: input?.isSolo.toggle()
        case 4: input?.hasMonoPan.toggle()
        case 5: mixer.panLaw = PanLaw.allCases[place % 3]
        // What a node is given in no graph is no part of an edit.
        case 6: if gain.graph != nil { gain.isBypassed.toggle() }
        case 7: equalizer.isBypassed.toggle()
        case 8: try equalizer.use(preset: EqualizerNode.unit.presets[place].name)
        case 9: if gain.graph != nil { gain.gain = Volume(gain: amount) }
        case 10: graph.disconnect(mixer, bus: place)
        case 11: try graph.connect(io, bus: 1, to: mixer, bus: place, channels: [place % 2])
        case 12: try graph.connect(io, bus: 1, to: mixer, bus: mixer.addInput().number)
        case 13: mixer.removeLastInput()
        case 14:
            try graph.remove(gain)
            try graph.connect(mixer, to: equalizer)
        case 15:
            try graph.add(gain)
            graph.disconnect(equalizer)
            try graph.connect(mixer, to: gain)
            try graph.connect(gain, to: equalizer)
        case 16:
            try mixer.schedule(
                .pan, scope: .input, element: place, to: amount, at: graph.renderedFrames + 100)
        case 17:
            // With the step before, a part of the edit that is given up.
            try? graph.edit {
                try step(place, (place + 1) % 3, amount)
                try step((place + 5) % 17, place, amount)
                throw GivenUp()
            }
        default: try graph.edit { try step(place * 3, place, amount) }
        }
    }

    static let steps = 19

    struct GivenUp: Error {}
}
