import SystemSupport
import TestSupport
import Testing

@testable import AudioGraph

/// A graph that gets another rate.
@Suite(.timeLimit(.minutes(10))) struct GraphRateTests {
    /// A microphone through an echo and a limiter into a mixer.
    private struct Stage {
        let graph: Graph
        let echo = DelayNode()
        let mixer = MixerNode(inputs: 1)

        init(sampleRate: Int) throws {
            graph = Graph(sampleRate: sampleRate)
            let (io, limiter) = (HardwareIO(inputChannels: 1), LimiterNode())
            for node in [io, echo, limiter, mixer] as [AudioNode] { try graph.add(node) }
            try graph.connect(io, bus: 1, to: echo)
            try graph.connect(echo, to: limiter)
            try graph.connect(limiter, to: mixer)
            try graph.connect(mixer, to: io)
            mixer.inputs[0].pan = .left
            try graph.prepare()
            try graph.start()
        }

        func render() throws -> [[Float]] {
            try OfflineRenderer(graph).render(
                frames: 24_000, inputs: [Noise(seed: 7).prefix(24_000).map { $0 * 0.5 }])
        }
    }

    @Test func itsNodesBeginAnewAtTheNewRate() throws {
        let (fresh, changed) = (try Stage(sampleRate: 48_000), try Stage(sampleRate: 44_100))
        let context = unsafe changed.graph.context
        _ = try changed.render()
        changed.mixer.inputs[0].pan = .right
        fresh.mixer.inputs[0].pan = .right
        try changed.graph.change(sampleRate: 48_000)
        #expect(changed.graph.sampleRate == 48_000 && changed.graph.renderedFrames == 0)
        #expect(unsafe changed.graph.context == context)
        #expect(try changed.render() == fresh.render())
        #expect(changed.graph.renderedFrames == 24_000)
        changed.graph.collect()
        #expect(changed.graph.planCount == 1)
    }

    @Test func itMayBePreparedLater() throws {
        let graph = Graph(sampleRate: 44_100)
        let (io, gain) = (HardwareIO(inputChannels: 1), GainNode())
        for node in [io, gain] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, bus: 1, to: gain)
        try graph.connect(gain, to: io)
        try graph.change(sampleRate: 48_000)
        try graph.prepare()
        try graph.start()
        let input = Array(Noise(seed: 7).prefix(480))
        #expect(try OfflineRenderer(graph).render(frames: 480, inputs: [input])[0] == input)
    }

    @Test func aDriverKeepsItsRate() throws {
        let stage = try Stage(sampleRate: 48_000)
        let renderer = try OfflineRenderer(stage.graph)
        #expect(throws: GraphError.hasDriver) { try stage.graph.change(sampleRate: 44_100) }
        #expect(stage.graph.sampleRate == 48_000)
        _ = renderer.render(frames: 480, inputs: [[Float](repeating: 0, count: 480)])
    }

    /// What waits for its frame, or for a driver, holds from the first frame on; listeners stay.
    @Test func editsThatWaitHold() throws {
        let stage = try Stage(sampleRate: 44_100)
        _ = try stage.render()
        var (frames, values): ([Int], [Double]) = ([], [])
        let listener = stage.graph.addListener { values.append($0.value) }
        stage.graph.collect()
        values = []
        stage.graph.edit(at: 1_000_000, heard: { frames.append($0) }) {
            stage.mixer.inputs[0].pan = .right
        }
        try stage.mixer.schedule(.volume, scope: .input, to: 0.5, at: 2_000_000)
        try stage.graph.change(sampleRate: 48_000)
        #expect(stage.graph.waitingChanges == 0)
        let out = try stage.render()
        #expect(out[0].allSatisfy { $0 == 0 } && out[1].contains { $0 != 0 })
        stage.graph.collect()
        #expect(frames == [0] && values == [1, 0.5])
        listener.cancel()
    }

    /// A song was decoded for its rate: it plays on where it was.
    @Test func aRefusalLeavesTheRate() throws {
        let mix = try MixGraph()
        let samples = (0..<4800).map { Float($0) / 0x1p18 }
        mix.mixer.panLaw = .balance
        mix.feed(samples, samples)
        mix.song.feed.finish()
        mix.song.feed.release()
        var heard = try OfflineRenderer(mix.graph, period: 64).render(frames: 1000)[0]
        #expect(
            throws: GraphError.otherRate(node: "song", rate: 48_000, graph: 44_100)
        ) { try mix.graph.change(sampleRate: 44_100) }
        #expect(mix.graph.sampleRate == 48_000)
        heard += try OfflineRenderer(mix.graph, period: 64).render(frames: 3800)[0]
        #expect(heard == samples)
    }

    /// Nodes that can begin at neither rate now, for the process has no descriptor left, play on.
    @Test(.ownProcess("lets the process open no files"))
    func aLackOfDescriptorsChangesNothing() throws {
        let (asked, other) = (try Stage(sampleRate: 48_000), try Stage(sampleRate: 48_000))
        for stage in [asked, other] {
            for number in 0..<2 {
                let player = QueuePlayerNode(format: QueueStage.mono, name: "player \(number)")
                try player.schedule(QueueStage.buffer(QueueStage.numbers(0..<40_000)))
                player.start()
                try stage.graph.add(player)
                try stage.graph.connect(
                    player, to: stage.mixer, bus: stage.mixer.addInput().number)
            }
        }
        #expect(try asked.render() == other.render())
        _ = Descriptors.exhausted(after: 0) {
            #expect(throws: GraphError.noDescriptors(node: "player 0")) {
                try asked.graph.change(sampleRate: 44_100)
            }
        }
        #expect(asked.graph.sampleRate == 48_000 && asked.graph.nodes.count == 6)
        #expect(try asked.render() == other.render())
    }

    /// Whichever node refuses: all others play on as if nobody had asked, with the threads that they
    /// had.
    @Test func aRefusalChangesNothing() throws {
        let (asked, other) = (try Stage(sampleRate: 48_000), try Stage(sampleRate: 48_000))
        let tapped = Guarded<[Float]>([])
        let tap = TapNode(channelCount: 1) { _, channels in tapped.withLock { $0 += channels[0] } }
        let recorder = RecorderNode(channelCounts: [1])
        let numbers = QueueStage.numbers(0..<40_000)
        let player = QueuePlayerNode(format: QueueStage.mono)
        try player.schedule(QueueStage.buffer(numbers))
        player.start()
        let refusing = SongSource(sampleRate: 48_000)
        try asked.graph.edit {
            for node in [tap, recorder, player, refusing] { try asked.graph.add(node) }
            try asked.graph.connect(player, to: tap)
            try asked.graph.connect(player, to: recorder)
        }
        #expect(try asked.render() == other.render())
        let tape = recorder.tape
        let renderings = asked.graph.nodes.map(\.rendering)
        try asked.mixer.schedule(.volume, scope: .input, to: 0.5, at: 30_000)
        try other.mixer.schedule(.volume, scope: .input, to: 0.5, at: 30_000)
        #expect(
            throws: GraphError.otherRate(node: "song", rate: 48_000, graph: 44_100)
        ) { try asked.graph.change(sampleRate: 44_100) }
        #expect(zip(asked.graph.nodes, renderings).allSatisfy { $0.rendering === $1 })
        #expect(asked.graph.renderedFrames == 24_000 && asked.graph.waitingChanges == 1)
        #expect(recorder.tape === tape)
        #expect(try asked.render() == other.render())
        tap.stop()
        #expect(poll { tapped.withLock { $0.count } == 48_000 })
        // The connection to the tap fades in, the one to the recorder does not.
        let heard = tapped.withLock { $0 }
        let recorded = tape.read(atMost: 40_000)?.buses ?? []
        #expect(firstDifference([Array(heard[480..<40_000])], [Array(numbers[480...])]) == nil)
        #expect(firstDifference(recorded.flatMap { $0 }, [numbers]) == nil)
    }

    /// The guard's frames are those of one rate.
    @Test func aGuardIsUp() throws {
        let graph = Graph(sampleRate: 44_100)
        let (io, feedbackGuard) = (HardwareIO(inputChannels: 1), FeedbackGuardNode())
        let (mixer, limiter) = (MixerNode(inputs: 1), LimiterNode())
        for node in [io, feedbackGuard, mixer, limiter] { try graph.add(node) }
        try graph.connect(io, to: mixer)
        try graph.connect(mixer, to: limiter)
        try graph.connect(limiter, to: io)
        try feedbackGuard.watch(microphone: 0, of: mixer, limiter: limiter)
        try graph.prepare()
        try graph.start()
        feedbackGuard.trip()
        _ = try OfflineRenderer(graph).render(frames: 100)
        #expect(feedbackGuard.turn == (true, 0))
        feedbackGuard.answer()
        try graph.change(sampleRate: 48_000)
        #expect(feedbackGuard.turn == (false, 0))
        _ = try OfflineRenderer(graph).render(frames: 100)
        #expect(feedbackGuard.turn == (false, 0))
    }

    /// What still faded out is gone, with its threads.
    @Test func removedNodesEnd() throws {
        let stage = try Stage(sampleRate: 44_100)
        _ = try stage.render()
        weak var gone: AudioNode?
        try stage.graph.edit {
            let gain = GainNode()
            gone = gain
            try stage.graph.add(gain)
            stage.graph.disconnect(stage.mixer)
            try stage.graph.connect(stage.echo, to: gain)
            try stage.graph.connect(gain, to: stage.mixer)
        }
        _ = try stage.render()
        try stage.graph.remove(try #require(gone))
        #expect(gone != nil)
        try stage.graph.change(sampleRate: 48_000)
        #expect(gone == nil)
    }
}
