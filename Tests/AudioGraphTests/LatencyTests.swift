@testable import AudioGraph
import Testing

/// By how much units delay what passes them, summed along every way.
@Suite struct LatencyTests {
    private func delay(_ frames: Int, _ name: String = "delay") -> CallbackEffect {
        CallbackEffect(latency: frames, name: name) { _, _, _, _, _, _, _, _ in 0 }
    }

    @Test func latenciesAddUpAlongEveryWay() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 1, directOutputs: 2)
        let (song, mixer) = (
            SongSource(sampleRate: 48_000), MixerNode(inputs: 3)
        )
        let (a, b, c) = (delay(100), delay(20), delay(3))
        for node in [io, song, mixer, a, b, c] as [AudioNode] { try graph.add(node) }
        #expect(graph.latency(from: io, to: io) == nil)
        try graph.connect(song, to: mixer, bus: 0)
        try graph.connect(io, to: a)
        try graph.connect(a, to: b)
        try graph.connect(b, to: mixer, bus: 1)
        try graph.connect(io, to: mixer, bus: 2)
        try graph.connect(mixer, to: c)
        try graph.connect(c, to: io)
        try graph.connect(song, to: io, bus: 1)
        #expect(graph.latency(from: io, to: io) == 3...123)
        #expect(graph.latency(from: song, to: io) == 3...3)
        #expect(graph.latency(from: a, to: io) == 23...23)
        #expect(graph.latency(from: io, to: mixer, bus: 1) == 120...120)
        #expect(graph.latency(from: io, to: mixer, bus: 0) == nil)
        // On an input's own output only that input is heard.
        try graph.connect(mixer, bus: MixerNode.directBus(of: 1), to: io, bus: 2)
        #expect(graph.latency(from: io, to: io, bus: 2) == 120...120)
        graph.disconnect(io, bus: 2)
        // No way leads from the microphone to the first direct output, or to the second.
        #expect(graph.latency(from: io, to: io, bus: 1) == nil)
        #expect(graph.latency(from: io, to: io, bus: 2) == nil)
        #expect(graph.latency(from: io, to: io, bus: 99) == nil)
        try graph.prepare()
        #expect(graph.capturedLatencies == [3...123, nil, nil])
        var changes = 0
        graph.latencyChanged = { changes += 1 }
        a.isBypassed = true
        #expect(graph.latency(from: io, to: io) == 3...23 && changes == 1)
        graph.disconnect(mixer, bus: 1)
        #expect(graph.capturedLatencies[0] == 3...3 && changes == 2)
    }

    /// Who hears of a new latency finds a whole graph, and may edit it.
    @Test func whoHearsOfALatencyMayEdit() throws {
        let late = delay(10)
        let stage = try UnitStage(late)
        var told: [Int] = []
        stage.graph.latencyChanged = { [graph = stage.graph, io = stage.io] in
            told.append(graph.latency(from: io, to: io)?.upperBound ?? -1)
            guard told.count == 1 else { return }
            try? graph.insert(self.delay(5), between: stage.unit, and: io)
        }
        late.isBypassed = true
        #expect(told == [0, 5] && stage.graph.capturedLatencies == [5...5])
        stage.graph.latencyChanged = nil
    }

    /// Each node is visited once, however many ways lead through it.
    @Test func manyWaysTakeNoLonger() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 1)
        try graph.add(io)
        var last: AudioNode = io
        for _ in 0..<60 {
            let (mixer, slow) = (MixerNode(inputs: 2), delay(10))
            for node in [mixer, slow] as [AudioNode] { try graph.add(node) }
            try graph.connect(last, to: slow)
            try graph.connect(last, to: mixer, bus: 0)
            try graph.connect(slow, to: mixer, bus: 1)
            last = mixer
        }
        try graph.connect(last, to: io)
        #expect(graph.latency(from: io, to: io) == 0...600)
    }
}
