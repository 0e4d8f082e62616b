import TestSupport
import Testing

@testable import AudioGraph

/// The graph's own nodes, rows of nodes, and what can be asked of a graph.
@Suite struct GraphFaceTests {
    @Test func theGraphMakesItsEndsAndItsMixerOnce() throws {
        let graph = Graph(sampleRate: 48_000)
        #expect(graph.inputNode === graph.outputNode && graph.nodes.count == 1)
        #expect(graph.inputNode.inputChannelCount == 1)
        let mixer = graph.mainMixer
        #expect(mixer === graph.mainMixer && graph.nodes.count == 2)
        #expect(
            graph.connections.map { $0.source === mixer && $0.sink === graph.outputNode } == [true])
        // A graph's own hardware is the one that was added; what is connected to it stays.
        let own = Graph(sampleRate: 48_000)
        let (io, gain) = (HardwareIO(inputChannels: 2), GainNode())
        try own.add(io)
        try own.chain(gain, io)
        #expect(own.outputNode === io && own.mainMixer.graph === own)
        #expect(own.connections.map { $0.source === gain } == [true])
        try own.remove(own.mainMixer)
        #expect(own.nodes.count == 2 && own.mainMixer.graph === own && own.nodes.count == 3)
    }

    @Test func whatTheMainMixerGetsIsHeard() throws {
        let graph = Graph(sampleRate: 48_000)
        try graph.connect(graph.inputNode, to: graph.mainMixer)
        graph.mainMixer.inputs[0].pan = .right
        try graph.prepare()
        try graph.start()
        let out = try OfflineRenderer(graph).render(frames: 4, inputs: [[0.5, 0.5, 0.5, 0.5]])
        #expect(out == [[0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]])
    }

    @Test func aMixerGivesEveryConnectionABusOfItsOwn() throws {
        let graph = Graph(sampleRate: 48_000)
        let (a, b, c) = (GainNode(name: "a"), GainNode(name: "b"), GainNode(name: "c"))
        let mixer = MixerNode(inputs: 1)
        for node in [a, b, c, mixer] as [AudioNode] { try graph.add(node) }
        for node in [a, b, c] { try graph.connect(node, to: mixer) }
        #expect(mixer.inputs.count == 3)
        graph.disconnect(mixer, bus: 1)
        try graph.connect(c, to: mixer)
        #expect(graph.connections.map(\.sinkBus) == [0, 2, 1] && mixer.inputs.count == 3)
        // One that is refused adds none, and any other unit has its first bus.
        #expect(throws: GraphError.cycle(from: "mixer", to: "mixer")) {
            try graph.connect(mixer, to: mixer)
        }
        #expect(throws: GraphError.notInGraph(node: "d")) {
            try graph.connect(GainNode(name: "d"), to: mixer)
        }
        #expect(mixer.inputs.count == 3)
        try graph.chain(mixer, GainNode(name: "e"))
        let e = try #require(graph.nodes.last)
        #expect(throws: GraphError.busIsTaken(node: "e", bus: 0)) { try graph.connect(a, to: e) }
    }

    @Test func aRowIsOneEdit() throws {
        let graph = Graph(sampleRate: 48_000)
        let (gain, limiter) = (GainNode(), LimiterNode())
        try graph.chain(graph.inputNode, gain, graph.mainMixer, limiter)
        #expect(
            graph.connections.map(\.source.name) == [
                "main mixer", "hardware", "gain", "main mixer",
            ])
        #expect(gain.graph === graph && limiter.graph === graph)
        // One that fails adds and connects nothing.
        let before = graph.description
        let other = GateNode()
        #expect(throws: GraphError.busIsTaken(node: "gain", bus: 0)) {
            try graph.chain(other, gain)
        }
        #expect(graph.description == before && other.graph == nil)
    }

    @Test func aRowTakesThePlaceOfAShorterOne() throws {
        let graph = Graph(sampleRate: 48_000)
        let (gain, limiter) = (GainNode(), LimiterNode())
        let names = ["main mixer", "gain", "limiter"]
        try graph.chain(graph.mainMixer, gain, limiter, graph.outputNode)
        #expect(graph.connections.map(\.source.name) == names)
        // Once more, it changes nothing.
        try graph.chain(graph.mainMixer, gain, limiter, graph.outputNode)
        #expect(graph.connections.map(\.source.name) == names)
        #expect(throws: GraphError.busIsTaken(node: "hardware", bus: 0)) {
            try graph.chain(GainNode(name: "other"), graph.outputNode)
        }
    }

    @Test func aNodeIsInsertedWithTheChannelsOfTheConnection() throws {
        let graph = Graph(sampleRate: 48_000)
        try graph.add(HardwareIO(inputChannels: 2))
        let mixer = MixerNode(inputs: 2)
        try graph.chain(mixer, graph.outputNode)
        try graph.connect(graph.inputNode, bus: 1, to: mixer, bus: 0, channels: [1])
        try graph.connect(graph.inputNode, bus: 1, to: mixer, bus: 1, channels: [0])
        mixer.inputs[1].volume = Volume(gain: 0)
        try graph.prepare()
        try graph.start()
        let gain = GainNode()
        gain.gain = Volume(gain: 0.5)
        try graph.insert(gain, between: graph.inputNode, and: mixer)
        #expect(mixer.format(ofInput: 0)?.channelCount == 1)
        let input = [[Float](repeating: 0.9, count: 960), [Float](repeating: 0.5, count: 960)]
        let out = try OfflineRenderer(graph).render(frames: 960, inputs: input)
        // A mono source in the centre.
        #expect(abs(out[0][959] - 0.25 * Float(0.5).squareRoot()) < 1e-6)
        let second = GainNode(name: "second")
        try graph.insert(second, between: graph.inputNode, and: mixer, bus: 1)
        #expect(graph.connections.last?.source === second && graph.connections.last?.sinkBus == 1)
        #expect(throws: GraphError.notConnected(from: "second", to: "hardware")) {
            try graph.insert(GainNode(), between: second, and: graph.outputNode)
        }
        #expect(graph.nodes.count == 4)
    }

    @Test func connectionsAndFormatsCanBeAsked() throws {
        let mix = try MixGraph()
        let all = mix.graph.connections
        let gains = all.filter { $0.kind == .control }
        #expect(gains.map(\.leadsBack) == [false, true] && gains[1].sink === mix.mixer)
        #expect(all.count { $0.source === mix.feedbackGuard } == 1)
        let voice = try #require(all.first { $0.sink === mix.mixer && $0.sinkBus == 1 })
        #expect(voice.source === mix.io && voice.sourceBus == 1 && voice.channels == nil)
        #expect(voice.format == StreamFormat(sampleRate: 48_000, channelCount: 1))
        #expect(mix.mixer.format(ofInput: 0)?.channelCount == 2)
        #expect(mix.mixer.format(ofInput: 1) == voice.format)
        #expect(mix.io.format(ofOutput: 1) == voice.format && mix.io.format(ofOutput: 0) == nil)
        #expect(mix.mixer.format(ofOutput: 0)?.channelCount == 2)
        mix.graph.disconnect(mix.mixer, bus: 1)
        #expect(mix.mixer.format(ofInput: 1) == nil)
        #expect(mix.graph.connections.count == all.count - 1)
        #expect(GainNode().format(ofOutput: 0) == nil)
    }

    @Test func thePresetIsTheOneWhoseValuesHold() throws {
        let limiter = LimiterNode()
        #expect(limiter.currentPreset?.name == "full")
        try limiter.use(preset: "headroom")
        #expect(limiter.currentPreset?.name == "headroom")
        limiter.ceiling = Decibels(-2)
        #expect(limiter.currentPreset == nil)
        try limiter.set(.ceiling, to: -1)
        #expect(limiter.currentPreset?.name == "streaming")
        #expect(GainNode().currentPreset == nil)
        for preset in EqualizerNode.unit.presets {
            let equalizer = EqualizerNode()
            try equalizer.use(preset: preset.name)
            #expect(equalizer.currentPreset?.values == preset.values)
        }
    }
}
