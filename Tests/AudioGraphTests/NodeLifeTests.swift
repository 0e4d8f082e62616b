import SystemSupport
import TestSupport
import Testing

@testable import AudioGraph

/// Nodes that are removed, added again, or added to a second graph.
@Suite(.timeLimit(.minutes(10))) struct NodeLifeTests {
    /// Samples that count up, so that each tells the number of its frame; too small for the limiter
    /// to act.
    private func counted(_ frames: Range<Int>) -> [Float] { frames.map { Float($0) / 0x1p18 } }

    @Test func aSourceThatIsAddedAgainGoesOnWhereItWas() throws {
        let mix = try MixGraph()
        mix.mixer.panLaw = .balance
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        mix.feed(counted(0..<12_000), counted(0..<12_000))
        mix.song.feed.finish()
        mix.song.feed.release()
        _ = renderer.render(frames: 1000)
        try mix.graph.remove(mix.song)
        _ = renderer.render(frames: 512)
        mix.graph.collect()
        #expect(renderer.render(frames: 2000)[0].allSatisfy { $0 == 0 })
        let next = Int(mix.song.position)
        #expect(next == 1512)
        #expect(mix.song.feed.space == next)
        try mix.graph.edit {
            try mix.graph.add(mix.song)
            try mix.graph.connect(mix.song, to: mix.mixer, bus: 0)
        }
        let heard = renderer.render(frames: 12_000 - next)[0]
        // The song fades in over 10 ms; after that every frame is as it was pushed.
        #expect(Array(heard[480...]) == counted((next + 480)..<12_000))
        #expect(mix.song.state == .ended || mix.song.position == 12_000)
    }

    /// As the song of a take does, of which the first frames are passed over.
    @Test func aSourceGoesOnInAnotherGraphWithTheVeryNextFrame() throws {
        let song = SongSource(sampleRate: 48_000)
        let samples = counted(1..<12_001)
        song.feed.push(samples.flatMap { [$0, $0] }, count: samples.count, at: 0)
        song.feed.finish()
        song.feed.release()
        var heard: [Float] = []
        for count in [777, 12_000 - 777] {
            let graph = Graph(sampleRate: 48_000)
            let io = HardwareIO(inputChannels: 0)
            try graph.add(io)
            try graph.add(song)
            try graph.connect(song, to: io)
            try graph.prepare()
            try graph.start()
            heard += try OfflineRenderer(graph).render(frames: count)[0]
        }
        #expect(heard == samples)
        #expect(song.state == .playing)
    }

    @Test func noNodeServesTwoGraphs() throws {
        let mix = try MixGraph()
        let second = Graph(sampleRate: 48_000)
        for node in [mix.song, mix.mixer, mix.limiter, mix.feedbackGuard] as [AudioNode] {
            #expect(throws: GraphError.alreadyInGraph(node: node.name)) { try second.add(node) }
            try mix.graph.remove(node)
            #expect(throws: GraphError.belongsToAnotherGraph(node: node.name)) {
                try second.add(node)
            }
            try mix.graph.add(node)
        }
    }

    /// Each graph has another rate, and the reader and the sink get theirs.
    @Test func tapsAndOutputsBeginAnewInAnotherGraph() throws {
        let tapped = Guarded(0)
        let sunk = Guarded(0)
        let tap = TapNode(sampleRate: 24_000) { _, channels in
            tapped.withLock { $0 += channels[0].count }
        }
        let output = GenericOutput(
            format: StreamFormat(sampleRate: 24_000, channelCount: 1)
        ) { buffer in sunk.withLock { $0 += buffer.frameCount } }
        let recorder = RecorderNode(channelCounts: [1])
        var expected = 0
        for rate in [48_000, 96_000, 48_000] {
            let (graph, io) = (Graph(sampleRate: rate), HardwareIO(inputChannels: 1))
            var nodes: [AudioNode] = [io, tap, output]
            if rate == 48_000 { nodes.append(recorder) }
            for node in nodes { try graph.add(node) }
            try graph.connect(io, bus: 1, to: tap)
            try graph.connect(tap, to: io)
            try graph.connect(io, bus: 1, to: output)
            if rate == 48_000 { try graph.connect(io, bus: 1, to: recorder) }
            try graph.prepare()
            try graph.start()
            _ = try OfflineRenderer(graph).render(frames: rate)
            if rate == 48_000 {
                let piece = recorder.tape.read()
                #expect(piece?.frame == 0 && piece?.frameCount == rate)
            }
            for node in nodes { if node !== io { try graph.remove(node) } }
            expected += 24_000
        }
        tap.stop()
        try output.finish()
        #expect(poll { tapped.withLock { $0 } == expected })
        #expect(poll { sunk.withLock { $0 } == expected })
    }

    /// Its thread ends with the graph.
    @Test func aVoiceProcessorHasOneThread() throws {
        let node = VoiceProcessorNode()
        weak var first: VoiceWorker?
        do {
            let graph = Graph(sampleRate: 48_000)
            try graph.add(node)
            first = node.worker
            #expect(first != nil)
        }
        #expect(poll { first == nil } && node.worker == nil)
        let second = Graph(sampleRate: 24_000)
        try second.add(node)
        #expect(node.worker != nil)
    }

    @Test func aFreedGraphClaimsNoNode() throws {
        var first: Graph? = Graph(sampleRate: 48_000)
        let song = SongSource(sampleRate: 48_000)
        try first?.add(song)
        first = nil
        try Graph(sampleRate: 48_000).add(song)
    }

    @Test(.ownProcess("lets the process open no files"))
    func aSourceWithoutDescriptorsIsRefused() throws {
        let graph = Graph(sampleRate: 48_000)
        for left in [0, 1] {
            let song = Descriptors.exhausted(after: left) { SongSource(sampleRate: 48_000) }
            #expect(throws: GraphError.noDescriptors(node: "song")) { try graph.add(song) }
            #expect(song.graph == nil && graph.nodes.isEmpty)
        }
    }

    @Test func theSearchForACycleVisitsEachNodeOnce() throws {
        let graph = Graph(sampleRate: 48_000)
        var last = MixerNode(inputs: 2, name: "first")
        let first = last
        try graph.add(last)
        for number in 0..<60 {
            let next = MixerNode(inputs: 2, name: "\(number)")
            try graph.add(next)
            try graph.connect(last, to: next, bus: 0)
            try graph.connect(last, to: next, bus: 1)
            last = next
        }
        #expect(throws: GraphError.cycle(from: "59", to: "first")) {
            try graph.connect(last, to: first)
        }
    }

    // MARK: The feedback guard

    /// Renders `frames` frames of a loud microphone; returns the highest of the last 64 samples.
    private func howl(_ renderer: OfflineRenderer, frames: Int) -> Float {
        let mic = [Float](repeating: 4, count: frames)
        return renderer.render(frames: frames, inputs: [mic])[0].suffix(64).max() ?? 0
    }

    @Test(arguments: [true, false]) func aGuardThatIsRemovedLetsGo(isRunning: Bool) throws {
        let mix = try MixGraph()
        let renderer = try OfflineRenderer(mix.graph)
        // The song has no frames, so there is none to wait for.
        renderer.patience = 0
        let quiet = [Float](repeating: 0.01, count: 9600)
        let before = renderer.render(frames: 9600, inputs: [quiet])[0].last
        #expect(mix.feedbackGuard.turn == (false, 0))
        mix.feedbackGuard.trip()
        #expect(renderer.render(frames: 9600, inputs: [quiet])[0].last != before)
        #expect(mix.feedbackGuard.turn == (true, 9600))
        if !isRunning { mix.graph.stop() }
        _ = renderer.render(frames: 9600, inputs: [quiet])
        try mix.graph.remove(mix.feedbackGuard)
        try mix.graph.start()
        _ = renderer.render(frames: 9600, inputs: [quiet])
        mix.graph.collect()
        #expect(renderer.render(frames: 9600, inputs: [quiet])[0].last == before)
        // The trip has not been answered: added again, the guard holds the microphone down again.
        try mix.graph.edit {
            try mix.graph.add(mix.feedbackGuard)
            try mix.feedbackGuard.watch(microphone: 1, of: mix.mixer, limiter: mix.limiter)
        }
        let held = renderer.render(frames: 9600, inputs: [quiet])[0].last ?? 0
        #expect(held < 0.2 * (before ?? 0) && mix.feedbackGuard.hasTripped)
        mix.feedbackGuard.answer()
        #expect(renderer.render(frames: 9600, inputs: [quiet])[0].last == before)
    }

    /// The guard counts its second at the sample rate of the graph that it is in now.
    @Test func aGuardCountsAtItsGraphsRate() throws {
        let limiter = LimiterNode()
        let node = FeedbackGuardNode()
        var graph: Graph?
        for rate in [48_000, 8000] {
            let next = Graph(sampleRate: rate)
            let mixer = MixerNode(inputs: 2)
            graph = nil
            let io = HardwareIO(inputChannels: 1)
            for node in [io, mixer, limiter, node] as [AudioNode] { try next.add(node) }
            try next.connect(io, bus: 1, to: mixer, bus: 1)
            try next.connect(mixer, to: limiter)
            try next.connect(limiter, to: io)
            try node.watch(microphone: 1, of: mixer, limiter: limiter)
            try next.prepare(maximumFrames: 64)
            try next.start()
            let renderer = try OfflineRenderer(next, period: 64)
            _ = howl(renderer, frames: rate - 640)
            #expect(!node.hasTripped)
            _ = howl(renderer, frames: 1280)
            #expect(node.hasTripped)
            node.answer()
            graph = next
        }
        _ = graph
    }
}
