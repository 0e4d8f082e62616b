@testable import AudioGraph
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct GraphTests {
    @Test func impossibleEditsAreRefused() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO()
        let mixer = MixerNode(inputs: 1)
        let (a, b) = (GuardNode(name: "a"), GuardNode(name: "b"))
        #expect(throws: GraphError.noHardwareIO) { try graph.prepare() }
        #expect(throws: GraphError.notPrepared) { try graph.start() }
        #expect(throws: GraphError.notInGraph(node: "a")) { try graph.connect(a, to: mixer) }
        for node in [io, mixer, a, b] as [AudioNode] { try graph.add(node) }
        #expect(throws: GraphError.alreadyInGraph(node: "a")) { try graph.add(a) }
        #expect(throws: GraphError.secondHardwareIO) { try graph.add(HardwareIO()) }
        #expect(throws: GraphError.noSuchBus(node: "mixer", bus: 1)) {
            try graph.connect(a, to: mixer, bus: 1)
        }
        #expect(throws: GraphError.noSuchBus(node: "mixer", bus: 257)) {
            try graph.connect(a, bus: 0, to: mixer, bus: MixerNode.gainBus(of: 1))
        }
        #expect(throws: GraphError.unlikeBuses(from: "a", to: "mixer")) {
            try graph.connect(a, bus: 0, to: mixer, bus: MixerNode.gainBus(of: 0))
        }
        #expect(throws: GraphError.cycle(from: "a", to: "b")) {
            try graph.connectBack(a, bus: 0, to: b, bus: 0)
        }
        #expect(throws: GraphError.noSuchBus(node: "hardware", bus: 0)) {
            try graph.connect(io, bus: 0, to: mixer)
        }
        try graph.connect(a, to: b)
        #expect(throws: GraphError.cycle(from: "b", to: "a")) { try graph.connect(b, to: a) }
        #expect(throws: GraphError.cycle(from: "a", to: "a")) { try graph.connect(a, to: a) }
        try graph.connect(io, bus: 1, to: mixer)
        #expect(throws: GraphError.busIsTaken(node: "mixer", bus: 0)) {
            try graph.connect(b, to: mixer, bus: 0)
        }
        try graph.prepare()
        #expect(throws: GraphError.alreadyPrepared) { try graph.prepare() }
        #expect(throws: GraphError.hardwareIsInUse) { try graph.remove(io) }
        try graph.remove(a)
        #expect(throws: GraphError.notInGraph(node: "a")) { try graph.remove(a) }
        // Nothing of it is heard: it may go to another graph, and not to two.
        let other = Graph(sampleRate: 48_000)
        try other.add(a)
        #expect(throws: GraphError.alreadyInGraph(node: "a")) { try graph.add(a) }
        try other.remove(a)
        try graph.add(a)
    }

    @Test func aUnitOfAnotherRateIsRefused() throws {
        let graph = Graph(sampleRate: 48_000)
        #expect(throws: GraphError.otherRate(node: "song", rate: 44_100, graph: 48_000)) {
            try graph.add(SongSource(sampleRate: 44_100))
        }
        #expect(graph.nodes.isEmpty)
    }

    /// A guard that cannot be connected to everything is connected to nothing.
    @Test func aWatchThatIsRefusedLeavesNoConnection() throws {
        let graph = Graph(sampleRate: 48_000)
        let (mixer, limiter) = (MixerNode(inputs: 3), LimiterNode())
        let node = FeedbackGuardNode(others: 1)
        for each in [mixer, limiter, node] as [AudioNode] { try graph.add(each) }
        #expect(throws: GraphError.noSuchBus(node: "feedback guard", bus: 3)) {
            try node.watch(microphone: 1, of: mixer, limiter: limiter)
        }
        #expect(graph.wiring.made.isEmpty)
        mixer.removeLastInput()
        try node.watch(microphone: 1, of: mixer, limiter: limiter)
        #expect(graph.wiring.made.count == 4)
        // One that watches already goes on.
        #expect(throws: GraphError.busIsTaken(node: "feedback guard", bus: 0)) {
            try node.watch(microphone: 0, of: mixer, limiter: limiter)
        }
        #expect(graph.wiring.made.count == 4)
    }

    @Test func plansThatNoDriverTookAreFreed() throws {
        let mix = try MixGraph()
        for _ in 0..<100 { mix.graph.edit { mix.graph.changePlan() } }
        #expect(mix.graph.planCount == 1)
    }

    /// A connection removed in the middle of a slice still fades out and is freed.
    @Test func aRemovedConnectionGoesWhateverTheMoment() throws {
        let mix = try MixGraph()
        let thread = RenderThread(mix.graph, period: 256)
        defer { thread.stop() }
        for round in 0..<100 {
            mix.graph.disconnect(mix.mixer, bus: 1)
            // After three more slices the fade is over; the song and the guard’s gains are left.
            thread.wait(frames: 3 * 256)
            mix.graph.collect()
            let left = mix.graph.wiring.audible.count { $0.sink === mix.mixer }
            #expect(left == 2, "round \(round)")
            guard left == 2 else { break }
            try mix.graph.connect(mix.io, bus: 1, to: mix.mixer, bus: 1)
            thread.wait(frames: 3 * 256 + round)
        }
    }

    /// What was set before a reset holds right after it.
    @Test func aResetEndsRampsThatHaveNotBegun() throws {
        let gain = GainNode()
        let stage = try UnitStage(gain)
        _ = try stage.render([Float](repeating: 0.5, count: 64))
        gain.gain = Volume(gain: 2)
        stage.graph.reset()
        #expect(try stage.render([0.5, 0.5])[0] == [1, 1])
        let limiter = LimiterNode(ceiling: Decibels(0))
        let limited = try UnitStage(limiter)
        _ = try limited.render([Float](repeating: 0.5, count: 64))
        limiter.ceiling = Decibels(gain: 0.25)
        limited.graph.reset()
        #expect(try limited.render([0.5, 0.5])[0].allSatisfy { $0 <= 0.25 && $0 > 0.249 })
        let mixer = MixerNode(inputs: 1, panLaw: .balance)
        let mixed = try UnitStage(mixer)
        _ = try mixed.render([Float](repeating: 0.5, count: 64))
        mixer.inputs[0].volume = Volume(gain: 0.5)
        mixer.outputVolume = Volume(gain: 0.5)
        mixed.graph.reset()
        #expect(try mixed.render([0.5, 0.5])[0] == [0.125, 0.125])
    }

    @Test func aResetBringsEveryUnitToItsBeginning() throws {
        let mix = try MixGraph()
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        func render(_ seed: UInt64) -> [[Float]] {
            renderer.render(frames: 6400, inputs: [Signal.noise(6400, seed: seed, amplitude: 3)])
        }
        var states: [Bool] = []
        mix.graph.runningChanged = { states.append($0) }
        let fresh = render(1)
        _ = render(2)
        mix.mixer.inputs[1].pan = .left
        _ = render(3)
        mix.mixer.inputs[1].pan = .centre
        _ = renderer.render(frames: 64)
        mix.graph.stop()
        mix.graph.stop()
        _ = renderer.render(frames: 640)
        mix.graph.reset()
        _ = renderer.render(frames: 64)
        try mix.graph.start()
        // The graph's own fade of a start takes 5 ms.
        let again = render(1)
        #expect(
            firstDifference(fresh.map { Array($0[240...]) }, again.map { Array($0[240...]) }) == nil
        )
        #expect(states == [false, true])
    }

    @Test func theLoadIsMeasuredWhenAsked() throws {
        let mix = try MixGraph()
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        _ = renderer.render(frames: 4800)
        #expect(mix.graph.load == 0)
        mix.graph.measuresLoad = true
        _ = renderer.render(frames: 48_000)
        #expect(mix.graph.load > 0)
    }

    /// The renderer waits for a cycle that no ring can hold part by part.
    @Test func aPeriodLongerThanTheRing() throws {
        let mix = try MixGraph()
        let feed = mix.song.feed
        Thread.detachNewThread {
            let ones = [Float](repeating: 0.5, count: 2 * feed.capacity)
            var done: Int64 = 0
            while done < 96_000 {
                let count = min(feed.space, Int(96_000 - done))
                feed.push(ones, count: count, at: done)
                done += Int64(count)
                feed.release()
                var waited = pollfd(fd: feed.demand, events: Int16(POLLIN), revents: 0)
                poll(&waited, 1, 1000)
                var value: UInt64 = 0
                read(feed.demand, &value, 8)
            }
            feed.finish()
            feed.release()
        }
        let renderer = try OfflineRenderer(mix.graph, period: 96_000)
        let out = renderer.render(frames: 96_000)[0]
        #expect(mix.song.underruns == 0)
        #expect(out.allSatisfy { $0 == 0.5 })
    }

    @Test func descriptionNamesNodesConnectionsAndFormats() throws {
        let text = try MixGraph().graph.description
        #expect(
            text == """
                graph, 48000 Hz, at most 256 frames a slice, running
                  hardware (latency 0 frames)
                    bus 0 <- limiter bus 0, 48000 Hz stereo, its input 0 frames later
                  song (latency 0 frames)
                  mixer (latency 0 frames)
                    bus 0 <- song bus 0, 48000 Hz stereo
                    bus 1 <- hardware bus 1, 48000 Hz mono
                    bus 257 <- feedback guard bus 0, gains, 256 frames later
                  guard (latency 0 frames)
                    bus 0 <- mixer bus 0, 48000 Hz stereo
                  limiter (latency 0 frames)
                    bus 0 <- guard bus 0, 48000 Hz stereo
                  feedback guard (latency 0 frames)
                    bus 1 <- mixer bus 2, 48000 Hz stereo
                    bus 2 <- mixer bus 1, 48000 Hz stereo
                    bus 0 <- limiter bus 1, gains
                """)
    }

    /// Renders a sine on the right side; calls `edit` before every cycle.
    private func render(cycles: Int, _ edit: (MixGraph, Int) throws -> Void) throws -> [Float] {
        let mix = try MixGraph()
        mix.mixer.inputs[1].pan = .right
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        var right: [Float] = []
        for cycle in 0..<cycles {
            try edit(mix, cycle)
            let mic = Signal.sine(64, from: cycle * 64)
            right += renderer.render(frames: 64, inputs: [mic])[1]
        }
        _ = renderer.render(frames: 640)
        mix.graph.collect()
        _ = renderer.render(frames: 64)
        mix.graph.collect()
        #expect(mix.graph.planCount == 1)
        return right
    }

    @Test func aBusThatComesAndGoesLeavesTheOthersAlone() throws {
        let plain = try render(cycles: 600) { _, _ in }
        let noise = Signal.noise(12_000, seed: 11)
        let edited = try render(cycles: 600) { mix, cycle in
            if cycle % 2 == 0 {
                let source = SongSource(sampleRate: 48_000, name: "extra")
                try mix.graph.add(source)
                mix.mixer.addInput().pan = .left
                try mix.graph.connect(source, to: mix.mixer, bus: 2)
                let left = Array(noise[..<5000])
                interleaved(left, left).withUnsafeBufferPointer {
                    source.feed.push($0.baseAddress!, count: 5000, at: 0)
                }
                source.feed.release()
            } else {
                mix.mixer.removeLastInput()
                if let extra = mix.graph.nodes.first(where: { $0.name == "extra" }) {
                    try mix.graph.remove(extra)
                }
            }
        }
        #expect(firstDifference([plain], [edited]) == nil)
    }

    @Test func aRemovedSourceIsFreed() throws {
        weak var feed: SongFeed?
        let mix = try MixGraph()
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        _ = renderer.render(frames: 64)
        do {
            let source = SongSource(sampleRate: 48_000, name: "extra")
            feed = source.feed
            try mix.graph.edit {
                try mix.graph.add(source)
                mix.mixer.addInput()
                try mix.graph.connect(source, to: mix.mixer, bus: 2)
            }
            _ = renderer.render(frames: 64)
            try mix.graph.edit {
                try mix.graph.remove(source)
                mix.mixer.removeLastInput()
            }
        }
        #expect(feed != nil)
        _ = renderer.render(frames: 640)
        mix.graph.collect()
        // The plan that still names the source is freed once the render thread has the next plan.
        _ = renderer.render(frames: 64)
        mix.graph.collect()
        #expect(feed == nil)
    }

    @Test func aBlockedControlThreadNeverBlocksRendering() throws {
        let mix = try MixGraph()
        for round in 0..<3 {
            mix.mixer.inputs[1].pan = Pan(Double(round) - 1)
            try mix.graph.edit {
                mix.graph.disconnect(mix.mixer, bus: 0)
                try mix.graph.connect(mix.song, to: mix.mixer, bus: 0)
            }
            let thread = RenderThread(mix.graph, period: 64, cycles: 1000)
            // The control thread does nothing at all until all is rendered.
            #expect(thread.waitForEnd(seconds: 60))
        }
        #expect(mix.graph.renderedFrames == 3000 * 64)
    }

    /// Three threads work on one graph at once, to show data races (ThreadSanitizer) and crashes.
    @Test func editsSongAndRenderingAtOnce() throws {
        let mix = try MixGraph()
        let stop = Atomic<Bool>(false)
        let done = DispatchSemaphore(value: 0)
        let feed = mix.song.feed
        let thread = RenderThread(mix.graph, period: 64)
        Thread.detachNewThread {
            let block = [Float](repeating: 0.2, count: 2 * 480)
            var frame: Int64 = 0
            var flushes = 0
            while !stop.load(ordering: .relaxed) {
                if feed.space >= 480 {
                    feed.push(block, count: 480, at: frame)
                    frame += 480
                    if frame % 48_000 == 0, flushes < 1000 {
                        feed.flush()
                        flushes += 1
                    }
                } else {
                    if feed.isFlushed { feed.release() }
                    sched_yield()
                }
            }
            done.signal()
        }
        for round in 0..<300 {
            mix.mixer.inputs[0].volume = Volume(gain: Double(round % 5))
            mix.mixer.addInput().pan = .left
            try mix.graph.connect(mix.song, to: mix.mixer, bus: 2)
            mix.mixer.removeLastInput()
            mix.song.isPaused = round % 7 == 0
            sched_yield()
        }
        stop.store(true, ordering: .relaxed)
        thread.stop()
        done.wait()
        #expect(mix.graph.renderedFrames > 0)
    }

    /// A connection that leads back is another one, also where it takes the place of one that does not
    /// in the same edit.
    @Test func aConnectionCanBeTurnedToLeadBack() throws {
        let graph = Graph(sampleRate: 48_000)
        let (limiter, mixer) = (LimiterNode(), MixerNode(inputs: 1))
        let gain = MixerNode.gainBus(of: 0)
        for node in [limiter, mixer] as [AudioNode] { try graph.add(node) }
        try graph.connect(limiter, bus: LimiterNode.gainBus, to: mixer, bus: gain)
        for leadsBack in [true, false, true] {
            try graph.edit {
                graph.disconnect(mixer, bus: gain)
                if leadsBack {
                    try graph.connectBack(limiter, bus: LimiterNode.gainBus, to: mixer, bus: gain)
                } else {
                    try graph.connect(limiter, bus: LimiterNode.gainBus, to: mixer, bus: gain)
                }
            }
            #expect(graph.connections.map(\.leadsBack) == [leadsBack])
        }
    }
}
