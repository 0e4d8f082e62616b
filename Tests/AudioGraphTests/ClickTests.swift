import AudioGraph
import TestSupport
import Testing

/// A 440 Hz sine of amplitude 0.5 plays while the graph is edited: no step from frame to frame
/// exceeds the sine's own largest step by more than 1/480.
@Suite struct ClickTests {
    static let frames = 30_000
    /// The sine's own largest step, plus the most that a 10 ms ramp or a 5 ms declick may add.
    static let bound = Samples.largestStep(Signal.sine(frames)) + 1 / 480

    /// A mix that plays the sine as its song, or as its microphone where a test asks for that.
    final class Stage {
        let mix: MixGraph
        let renderer: OfflineRenderer
        let sine = Signal.sine(200_000)
        private var fed = 0

        init() throws {
            mix = try MixGraph()
            renderer = try OfflineRenderer(mix.graph, period: 64)
            renderer.patience = 0
        }

        func topUp() {
            let n = min(mix.song.feed.space, sine.count - fed)
            guard n > 0 else { return }
            let part = Array(sine[fed..<fed + n])
            mix.feed(part, part, at: Int64(fed))
            fed += n
        }

        func render(mic isMic: Bool) -> [[Float]] {
            var out: [[Float]] = [[], []]
            while out[0].count < ClickTests.frames {
                let start = Int(renderer.position)
                let input =
                    isMic ? Array(sine[start..<start + 64]) : [Float](repeating: 0, count: 64)
                let part = renderer.render(frames: 64, inputs: [input])
                for channel in 0..<2 { out[channel] += part[channel] }
            }
            return out
        }
    }

    /// Renders with `edits` at their frames, and checks every step of both sides.
    private func check(
        mic: Bool = false, keepFed: Bool = true, _ name: Comment,
        _ edits: [(Int64, (Stage) throws -> Void)]
    ) throws {
        let stage = try Stage()
        if !mic {
            stage.topUp()
            stage.mix.song.feed.release()
        }
        for frame in stride(from: Int64(0), to: Int64(Self.frames), by: 2000) where keepFed && !mic
        {
            stage.renderer.schedule(at: frame) { stage.topUp() }
        }
        for (frame, edit) in edits { stage.renderer.schedule(at: frame) { try! edit(stage) } }
        let out = stage.render(mic: mic)
        for channel in 0..<2 {
            // The steps begin at frame 1: a song has no fade at its own frame 0.
            #expect(Samples.largestStep(out[channel]) <= Self.bound, name)
        }
        // Not all of it was silence.
        #expect(out[0][0..<5000].contains { abs($0) > 0.3 }, name)
    }

    @Test(arguments: [false, true]) func volumePanAndMute(mic: Bool) throws {
        let bus = mic ? 1 : 0
        try check(
            mic: mic, "volume",
            [
                (5000, { $0.mix.mixer.inputs[bus].volume = Volume(gain: 0.1) }),
                (5100, { $0.mix.mixer.inputs[bus].volume = .unity }),
                (9000, { $0.mix.mixer.outputVolume = .silent }),
                (12_000, { $0.mix.mixer.outputVolume = .unity }),
            ])
        try check(
            mic: mic, "pan and law",
            [
                (5001, { $0.mix.mixer.inputs[bus].pan = .right }),
                (7000, { $0.mix.mixer.inputs[bus].pan = .left }),
                (7003, { $0.mix.mixer.inputs[bus].pan = .centre }),
                (9000, { $0.mix.mixer.panLaw = .linear }),
            ])
        try check(
            mic: mic, "mute",
            [
                (5001, { $0.mix.mixer.inputs[bus].isMuted = true }),
                (5200, { $0.mix.mixer.inputs[bus].isMuted = false }),
                (9000, { $0.mix.mixer.inputs[bus].isMuted = true }),
                (15_000, { $0.mix.mixer.inputs[bus].isMuted = false }),
            ])
    }

    @Test func pauseSeekAndUnderrun() throws {
        try check(
            "pause",
            [
                (5000, { $0.mix.song.isPaused = true }),
                (5100, { $0.mix.song.isPaused = false }),
                (9000, { $0.mix.song.isPaused = true }),
                (15_000, { $0.mix.song.isPaused = false }),
            ])
        try check(
            keepFed: false, "seek",
            [
                (5007, { $0.mix.song.feed.flush() }),
                (
                    9000,
                    { stage in
                        stage.topUp()
                        stage.mix.song.feed.release()
                    }
                ),
            ])
        // The ring runs dry at 11,744.
        try check(
            keepFed: false, "underrun",
            [
                (
                    15_007,
                    { stage in
                        stage.topUp()
                        stage.mix.song.feed.release()
                    }
                )
            ])
        try check(
            "stop and start",
            [
                (5000, { $0.mix.graph.stop() }), (7000, { try $0.mix.graph.start() }),
                (9000, { $0.mix.graph.stop() }), (9100, { try $0.mix.graph.start() }),
            ])
    }

    @Test func editsOfTheGraph() throws {
        try check(
            mic: true, "a bus is disconnected and connected again",
            [
                (
                    5000,
                    { stage in
                        stage.mix.graph.disconnect(stage.mix.mixer, bus: 1)
                    }
                ),
                (
                    5200,
                    { stage in
                        try stage.mix.graph.connect(stage.mix.io, to: stage.mix.mixer, bus: 1)
                    }
                ),
                (
                    9000,
                    { stage in
                        stage.mix.graph.disconnect(stage.mix.mixer, bus: 1)
                    }
                ),
                (
                    15_000,
                    { stage in
                        try stage.mix.graph.connect(stage.mix.io, to: stage.mix.mixer, bus: 1)
                    }
                ),
            ])
        try check(
            mic: true, "another bus of the same source",
            [
                (
                    5000,
                    { stage in
                        stage.mix.mixer.inputs[1].volume = Volume(gain: 0.5)
                        let input = stage.mix.mixer.addInput()
                        input.pan = .right
                        input.volume = Volume(gain: 0.3)
                        try stage.mix.graph.connect(stage.mix.io, to: stage.mix.mixer, bus: 2)
                    }
                ),
                (
                    9000,
                    { stage in
                        stage.mix.mixer.removeLastInput()
                    }
                ),
                // A new bus gets the number of the removed one, which is still fading out.
                (
                    9100,
                    { stage in
                        let input = stage.mix.mixer.addInput()
                        input.pan = .left
                        input.volume = Volume(gain: 0.3)
                        try stage.mix.graph.connect(stage.mix.io, to: stage.mix.mixer, bus: 2)
                    }
                ),
            ])
        try check(
            mic: true, "a node is taken out of a chain and another put in",
            [
                (
                    5000,
                    { stage in
                        try stage.mix.graph.edit {
                            try stage.mix.graph.remove(stage.mix.sanitizer)
                            try stage.mix.graph.connect(stage.mix.mixer, to: stage.mix.limiter)
                        }
                    }
                ),
                (
                    9000,
                    { stage in
                        let again = GuardNode(name: "second guard")
                        try stage.mix.graph.edit {
                            stage.mix.graph.disconnect(stage.mix.limiter)
                            try stage.mix.graph.add(again)
                            try stage.mix.graph.connect(stage.mix.mixer, to: again)
                            try stage.mix.graph.connect(again, to: stage.mix.limiter)
                        }
                    }
                ),
            ])
    }

    /// A bus changes between a stereo and a mono source, and is compiled anew after the fades. The
    /// microphone hears a constant, so every step in the output comes from the change.
    @Test(arguments: [true, false]) func monoForStereo(startsStereo: Bool) throws {
        let mix = try MixGraph()
        mix.mixer.inputs[1].isMuted = true
        if !startsStereo {
            try mix.graph.edit {
                mix.graph.disconnect(mix.mixer, bus: 0)
                try mix.graph.connect(mix.io, to: mix.mixer, bus: 0)
            }
        }
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        var out: [[Float]] = [[], []]
        func go() {
            let part = renderer.render(frames: 4800, inputs: [[Float](repeating: 0.5, count: 4800)])
            for channel in 0..<2 { out[channel] += part[channel] }
            mix.graph.collect()
        }
        go()
        let begin = out[0].count
        for isMono in [startsStereo, !startsStereo, startsStereo] {
            mix.graph.disconnect(mix.mixer, bus: 0)
            if isMono {
                try mix.graph.connect(mix.io, to: mix.mixer, bus: 0)
            } else {
                try mix.graph.connect(mix.song, to: mix.mixer, bus: 0)
            }
            for _ in 0..<3 { go() }
        }
        for channel in 0..<2 {
            #expect(Samples.largestStep(out[channel][(begin - 1)...]) <= 0.5 / 480 + 1e-6)
            #expect(out[channel].contains { $0 > 0.3 } && out[channel].contains { $0 == 0 })
        }
    }
}
