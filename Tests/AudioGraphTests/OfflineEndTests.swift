import TestSupport
import Testing

@testable import AudioGraph

/// `OfflineRenderer.render(untilEndOf:)`: files of exactly the length of what they are made of.
@Suite struct OfflineEndTests {
    /// What is scheduled for one frame is done in the order of the calls.
    @Test func oneFrameKeepsItsOrder() throws {
        let stage = try UnitStage(GainNode())
        let renderer = try OfflineRenderer(stage.graph)
        var done: [Int] = []
        for number in 0..<100 {
            renderer.schedule(at: Int64(100 - number / 50)) { done.append(number) }
        }
        _ = renderer.render(frames: 200, inputs: [[Float](repeating: 0, count: 200)])
        #expect(done == Array(50..<100) + Array(0..<50))
    }

    /// Plays `length` frames of 0.5 with `effect`, from frame `start` on, and returns what was given.
    private func play(
        _ length: Int, from start: Int = 0, through effect: AudioNode? = nil, rate: Int = 48_000,
        tail: Double = 0, period: Int
    ) throws -> [Float] {
        let graph = Graph(sampleRate: 48_000)
        let player = QueuePlayerNode(format: StreamFormat(sampleRate: rate, channelCount: 1))
        try graph.chain(player, graph.outputNode)
        if let effect { try graph.insert(effect, between: player, and: graph.outputNode) }
        try graph.prepare()
        try graph.start()
        try player.schedule(AudioBuffer([[Float](repeating: 0.5, count: length)], sampleRate: rate))
        player.start(at: start)
        var out: [Float] = []
        let renderer = try OfflineRenderer(graph, period: period)
        renderer.render(untilEndOf: player, tail: tail) { buffer in
            #expect((1...period).contains(buffer.frameCount) && buffer.format.channelCount == 2)
            out += buffer.samples(channel: 0)
        }
        return out
    }

    @Test(arguments: [1, 64, 500, 6000]) func aQueueEndsWithItsLastFrame(period: Int) throws {
        let out = try play(3001, from: 77, period: period)
        #expect(out.count == 3078)
        #expect(out[..<77].allSatisfy { $0 == 0 } && out[77...].allSatisfy { $0 == 0.5 })
    }

    @Test(arguments: [64, 5000]) func theEndIsAsLateAsItIsHeard(period: Int) throws {
        // It says so; the frames themselves are not late.
        let effect = unsafe CallbackEffect(latency: 96) { _, _, _, _, _, _, _, _ in 0 }
        let out = try play(3000, through: effect, period: period)
        #expect(out.count == 3096)
        #expect(out[..<3000].allSatisfy { $0 == 0.5 } && out[3000...].allSatisfy { $0 == 0 })
    }

    @Test func anotherRateEndsWithTheConverter() throws {
        let out = try play(2000, rate: 24_000, period: 100)
        // What the converter needs to run empty comes behind.
        #expect((4000...4200).contains(out.count))
    }

    @Test(arguments: [64, 1000]) func aTailEndsWithItsLastSound(period: Int) throws {
        func delay() -> DelayNode {
            let delay = DelayNode()
            (delay.time, delay.feedback, delay.mix) = (0.1, 0, 100)
            return delay
        }
        #expect(try play(1000, through: delay(), period: period).count == 1000)
        // The echo comes after silence, and nothing after it.
        let whole = try play(1000, through: delay(), tail: 2, period: period)
        #expect((5800...6200).contains(whole.count) && whole.last != 0)
        #expect(whole[1200..<4700].allSatisfy { $0 == 0 })
        // No longer than was asked for.
        let cut = try play(1000, through: delay(), tail: 0.1, period: period)
        #expect(cut.count == 5800 && Array(whole[..<5800]) == cut)
    }

    @Test(arguments: [64, 3000]) func aSongEndsWithItsLastFrame(period: Int) throws {
        let graph = Graph(sampleRate: 48_000)
        let song = SongSource(sampleRate: 48_000)
        try graph.chain(song, graph.outputNode)
        try graph.prepare()
        try graph.start()
        let frames = [Float](repeating: 0.25, count: 2 * 2000)
        unsafe frames.withUnsafeBufferPointer {
            unsafe song.feed.push($0.baseAddress!, count: 2000, at: 0)
        }
        song.feed.finish()
        song.feed.release()
        var (out, buffers) = ([Float](), 0)
        try OfflineRenderer(graph, period: period).render(untilEndOf: song) { buffer in
            out += buffer.samples(channel: 1)
            buffers += 1
        }
        #expect(
            out == [Float](repeating: 0.25, count: 2000) && buffers == (2000 + period - 1) / period)
    }

    @Test func whatBodyThrowsIsThrown() throws {
        struct Full: Error {}
        let graph = Graph(sampleRate: 48_000)
        let song = SongSource(sampleRate: 48_000)
        try graph.chain(song, graph.outputNode)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph)
        renderer.patience = 0
        var count = 0
        #expect(throws: Full.self) {
            try renderer.render(untilEndOf: song) { buffer throws(Full) in
                count += buffer.frameCount
                if count > 10_000 { throw Full() }
            }
        }
        #expect(count > 10_000)
    }
}
