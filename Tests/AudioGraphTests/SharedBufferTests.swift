@testable import AudioGraph
import Testing

/// A node that changes samples does so in its source's buffers only where nobody else hears them.
@Suite struct SharedBufferTests {
    /// What leaves a graph where `second` hears the mixer, and so does a limiter, directly or
    /// behind a node that passes its input on.
    private func render(passingOn: Bool) throws -> Float {
        let graph = AudioGraph(sampleRate: 48_000)
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
    func whatAnotherHearsStaysAsItIs(passingOn: Bool) throws {
        // 4, limited to 1, and the same 4 as it was.
        #expect(try render(passingOn: passingOn) == 5)
    }
}
