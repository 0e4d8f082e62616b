@testable import AudioGraph
import Testing

/// A node changes samples in the buffers of its source only if no other node reads these.
@Suite struct SharedBufferTests {
    /// What a limiter and another node read at once: the mixer's sum, or a bus of it by itself.
    @Test(arguments: [0, MixerNode.directBus(of: 0)])
    func sharedBuffersAreNotChanged(bus: Int) throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 1)
        let first = MixerNode(inputs: 1, panLaw: .balance)
        let second = MixerNode(inputs: 2)
        let limiter = LimiterNode(ceiling: Decibels(0))
        for node in [io, first, second, limiter] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: first)
        try graph.connect(first, bus: bus, to: limiter)
        try graph.connect(limiter, to: second, bus: 0)
        try graph.connect(first, bus: bus, to: second, bus: 1)
        try graph.connect(second, to: io)
        try graph.prepare()
        try graph.start()
        let output = try OfflineRenderer(graph).render(
            frames: 64, inputs: [[Float](repeating: 4, count: 64)])
        // The microphone's 4, limited to 1, plus the same 4 unchanged.
        #expect(output[0][63] == 5)
    }

    /// An effect behind a meter that hears nothing hears nothing, and not itself.
    @Test func nobodyWritesToTheBusOfSilence() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, meter) = (HardwareIO(inputChannels: 0, directOutputs: 1), MeterNode())
        let effect = CallbackEffect { _, flags, _, _, _, count, _, buffers in
            for n in 0..<Int(count) { buffers![0]![n] += 1 }
            flags!.pointee = 0
            return 0
        }
        for node in [io, meter, effect] as [AudioNode] { try graph.add(node) }
        try graph.connect(meter, to: effect)
        try graph.connect(effect, to: io)
        try graph.prepare()
        try graph.start()
        let out = try OfflineRenderer(graph).render(frames: 1000)
        #expect(out[0].allSatisfy { $0 == 1 } && out[2].allSatisfy { $0 == 0 })
    }

    /// An output buffer may be the other input's: what is played is what was captured, also behind a node
    /// that passes the driver's buffers on.
    @Test func crosswiseBuffersArePlayedAsCaptured() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, meter) = (HardwareIO(inputChannels: 2), MeterNode())
        for node in [io, meter] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, bus: 1, to: meter)
        try graph.connect(meter, to: io)
        try graph.prepare()
        try graph.start()
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 2000)
        defer { memory.deallocate() }
        var inputs = [memory, memory + 2000]
        var outputs = [memory + 2000, memory]
        for _ in 0..<2 {
            memory.initialize(repeating: 0.25, count: 2000)
            (memory + 2000).initialize(repeating: 0.5, count: 2000)
            graph.context.pointee.render(frames: 2000, inputs: &inputs, outputs: &outputs)
        }
        #expect(memory[2000 + 1999] == 0.25 && memory[1999] == 0.5)
    }

    /// The graph reads the driver's buffers where they are, and other programs read them too.
    @Test func theDriversInputIsNotChanged() throws {
        let gain = GainNode()
        gain.gain = Volume(gain: 0.5)
        let stage = try UnitStage(gain)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 3 * 600)
        defer { samples.deallocate() }
        samples.initialize(repeating: 0.25, count: 3 * 600)
        var inputs = [samples]
        var outputs = [samples + 600, samples + 1200]
        stage.graph.context.pointee.render(frames: 600, inputs: &inputs, outputs: &outputs)
        #expect((0..<600).allSatisfy { samples[$0] == 0.25 && samples[600 + $0] == 0.125 })
    }
}
