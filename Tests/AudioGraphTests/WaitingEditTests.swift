import TestSupport
import Testing

@testable import AudioGraph

/// Edits that wait for their frame: how many the render thread has, and what belongs to them.
@Suite struct WaitingEditTests {
    /// A microphone through a mixer at 8 kHz, where 10 ms are 80 frames.
    private final class Stage {
        let graph = Graph(sampleRate: 8000)
        let mixer = MixerNode(inputs: 1, panLaw: .balance)
        let gain = GainNode()
        let song = SongSource(sampleRate: 8000)
        let renderer: OfflineRenderer

        init() throws {
            let io = HardwareIO(inputChannels: 1)
            let sum = MixerNode(inputs: 2, panLaw: .balance)
            for node in [io, mixer, gain, song, sum] as [AudioNode] { try graph.add(node) }
            try graph.connect(io, bus: 1, to: mixer)
            try graph.connect(mixer, to: gain)
            try graph.connect(gain, to: sum, bus: 0)
            try graph.connect(song, to: sum, bus: 1)
            try graph.connect(sum, to: io)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph, period: 100)
            // What a start fades in.
            _ = renderer.render(frames: 1000, inputs: [[Float](repeating: 0, count: 1000)])
        }

        /// What is heard of a constant 1 on the left.
        func gains(_ frames: Int) -> [Float] {
            renderer.render(frames: frames, inputs: [[Float](repeating: 1, count: frames)])[0]
        }
    }

    /// However many edits wait, each takes the render thread one step to list; all are made at their frames.
    /// They are asked for in no order, some while others wait there.
    @Test func eachTakesTheRenderThreadOneStep() throws {
        let stage = try Stage()
        var random = SeededRandom(seed: 17)
        let start = stage.graph.renderedFrames
        var heard: [Int] = []
        let frames = (1...1000).map { start + 7 * $0 }
        for (count, frame) in frames.shuffled(using: &random).enumerated() {
            stage.graph.edit(at: frame, heard: { heard.append($0) }) {
                stage.mixer.inputs[0].volume = Volume(gain: Double((frame - start) / 7) / 1000)
            }
            #expect(stage.graph.edits.waitingCount == count + 1)
            if count % 250 == 0 { stage.graph.context.pointee.edits.take() }
        }
        while stage.graph.renderedFrames < frames[999] + 100 {
            _ = stage.gains(100)
            stage.graph.collect()
        }
        // An edit is handed over anew where one before it sets the same value.
        let steps = stage.graph.context.pointee.edits.steps
        #expect((1000...10_000).contains(steps), "\(steps)")
        #expect(heard == frames)
        #expect(stage.mixer.inputs[0].volume == Volume(gain: 1))
        #expect(stage.graph.edits.waitingCount == 0)
    }

    /// An edit of the same frame comes behind those that were asked for before.
    @Test func theirOrderIsKept() throws {
        let stage = try Stage()
        let start = stage.graph.renderedFrames + 1000
        for number in 0..<300 {
            stage.graph.edit(at: start) {
                stage.mixer.inputs[0].volume = Volume(gain: Double(number) / 299)
            }
        }
        for _ in 0..<20 {
            _ = stage.gains(100)
            stage.graph.collect()
        }
        #expect(stage.mixer.inputs[0].volume == Volume(gain: 1))
        #expect(stage.gains(100).last == 1)
    }

    /// What is handed over anew keeps its place: an edit with a plan and a value before another plan.
    @Test func aReplacedEditKeepsItsPlace() throws {
        let stage = try Stage()
        stage.gain.gain = Volume(gain: 0.5)
        _ = stage.gains(400)
        let frame = stage.graph.renderedFrames + 400
        stage.graph.edit(at: frame) {
            stage.gain.isBypassed = true
            stage.mixer.inputs[0].volume = Volume(gain: 0.25)
        }
        stage.gain.isBypassed = false
        _ = stage.gains(100)
        stage.mixer.inputs[0].volume = Volume(gain: 0.75)
        for _ in 0..<20 {
            _ = stage.gains(100)
            stage.graph.collect()
        }
        // The bypass is off again, and the volume is that of the edit.
        #expect(stage.gains(100).last == 0.125)
        #expect(!stage.gain.isBypassed)
    }

    /// A long fade is cut short to its own end, by a change at once and by a shorter fade.
    @Test(arguments: [nil, 800]) func aFadeIsCutShort(ramp: Int?) throws {
        let stage = try Stage()
        _ = stage.gains(1000)
        let now = stage.graph.renderedFrames
        try stage.mixer.schedule(.volume, scope: .input, to: 0, at: now, ramp: 240_000)
        let first = stage.gains(8000)
        #expect(abs(first[7999] - (1 - 8000.0 / 240_000)) < 1e-3)
        stage.graph.collect()
        if let ramp {
            try stage.mixer.schedule(
                .volume, scope: .input, to: 0, at: stage.graph.renderedFrames, ramp: ramp)
        } else {
            stage.mixer.inputs[0].volume = .silent
        }
        let rest = stage.gains(1000)
        let length = ramp ?? 80
        #expect(abs(rest[length / 2] - first[7999] / 2) < 0.02)
        #expect(rest[length + 1] == 0 && rest[999] == 0)
    }

    /// A song's pause belongs to its edit: it comes at the frame, and not at all where the edit throws.
    @Test func aPauseComesAtItsFrame() throws {
        let stage = try Stage()
        let feed = stage.song.feed
        let samples = [Float](repeating: 0.5, count: 2 * 6000)
        feed.push(samples, count: 6000, at: 0)
        feed.finish()
        feed.release()
        _ = stage.renderer.render(
            frames: 100, inputs: [[Float](repeating: 0, count: 100)])
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try stage.graph.edit { () throws in
                stage.song.isPaused = true
                throw Refused()
            }
        }
        let frame = stage.graph.renderedFrames + 1000
        stage.graph.edit(at: frame) { stage.song.isPaused = true }
        let heard = stage.renderer.render(
            frames: 2000, inputs: [[Float](repeating: 0, count: 2000)])[0]
        #expect(heard[..<1000].allSatisfy { $0 == 0.5 })
        // 5 ms are 40 frames.
        #expect(heard[1020] < 0.5 && heard[1020] > 0 && heard[1041...].allSatisfy { $0 == 0 })
        stage.graph.collect()
        #expect(stage.song.isPaused && stage.song.state == .paused)
    }
}

extension WaitingEditTests {
    /// Of two edits of one frame the last counts, also of a bypass, which is a plan.
    @Test func aBypassThatIsTakenBackInItsFrame() throws {
        for first in [true, false] {
            let (stage, plain) = (try EditStage(), try EditStage())
            for each in [stage, plain] {
                each.gain.isBypassed = !first
                _ = each.render(4096)
                each.graph.collect()
            }
            let frame = stage.graph.renderedFrames + 1000
            stage.graph.edit(at: frame) { stage.gain.isBypassed = first }
            stage.graph.edit(at: frame) { stage.gain.isBypassed = !first }
            #expect(stage.gain.isBypassed == !first)
            for step in 0..<40 {
                let difference = firstDifference(stage.render(256)[0], plain.render(256)[0])
                #expect(difference == nil, "\(first), \(step)")
                stage.graph.collect()
            }
            #expect(stage.gain.isBypassed == !first)
        }
    }
}
