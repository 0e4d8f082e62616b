@testable import AudioGraph
import Testing

/// A node changes samples in the buffers of its source only if no other node reads these.
@Suite struct SharedBufferTests {
    /// The output of a graph in which both `second` and a limiter read the mixer `first`: the
    /// limiter directly, or through a node that passes its input on unchanged.
    private func render(passingOn: Bool) throws -> Float {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 1)
        let first = MixerNode(inputs: 1, sampleRate: 48_000, panLaw: .balance)
        let second = MixerNode(inputs: 2, sampleRate: 48_000)
        let limiter = LimiterNode(ceiling: Decibels(0))
        let passer = FeedbackGuardNode(mixer: first, microphoneBus: 0, limiter: limiter)
        for node in [io, first, second, limiter, passer] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: first)
        if passingOn {
            try graph.connect(first, to: passer)
            try graph.connect(passer, to: limiter)
        } else {
            try graph.connect(first, to: limiter)
        }
        try graph.connect(limiter, to: second, bus: 0)
        try graph.connect(first, to: second, bus: 1)
        try graph.connect(second, to: io)
        try graph.prepare()
        try graph.start()
        let output = try OfflineRenderer(graph).render(
            frames: 64, inputs: [[Float](repeating: 4, count: 64)])
        return output[0][63]
    }

    @Test(arguments: [false, true])
    func sharedBuffersAreNotChanged(passingOn: Bool) throws {
        // The microphone's 4, limited to 1, plus the same 4 unchanged.
        #expect(try render(passingOn: passingOn) == 5)
    }
}
