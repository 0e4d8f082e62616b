import AudioGraph
import TestSupport
import Testing

@Suite struct MixTests {
    @Test func microphonePassesWithoutDelayAndByTheFormula() throws {
        let mix = try MixGraph()
        mix.mixer.inputs[1].pan = .left
        mix.mixer.inputs[1].volume = Volume(gain: 0.5)
        let renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        let mic = (0..<4096).map { Float($0 % 17) / 32 }
        let out = renderer.render(frames: mic.count, inputs: [mic])
        #expect(firstDifference([out[0]], [mic.map { $0 * 0.5 }]) == nil)
        #expect(out[1].allSatisfy { $0 == 0 })
    }

    @Test func songPlaysFromItsFirstFrameToItsLast() throws {
        let mix = try MixGraph()
        let left = (0..<5000).map { Float($0 % 31) / 64 }
        let right = left.map { -0.5 * $0 - 0.01 }
        mix.feed(left, right)
        mix.song.feed.finish()
        mix.song.feed.release()
        let renderer = try OfflineRenderer(mix.graph)
        let out = renderer.render(frames: 6000)
        #expect(
            firstDifference([Array(out[0][0..<5000]), Array(out[1][0..<5000])], [left, right])
                == nil)
        #expect(out[0][5000...].allSatisfy { $0 == 0 })
        #expect(mix.song.state == .ended && mix.song.position == 5000)
    }

    @Test func aPositionIsKnownBeforeTheDriverRuns() throws {
        let mix = try MixGraph()
        mix.feed([0.1, 0.2], [0.1, 0.2], at: 960_000)
        #expect(mix.song.position == 960_000)
    }

    @Test func aFlushTakesTheEndBack() throws {
        let mix = try MixGraph()
        mix.feed([0.1, 0.2], [0.1, 0.2])
        mix.song.feed.finish()
        mix.song.feed.flush()
        let renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        _ = renderer.render(frames: 64)
        let more = [Float](repeating: 0.5, count: 1000)
        mix.feed(more, more, at: 5000)
        mix.song.feed.release()
        _ = renderer.render(frames: 2000)
        // The song expects more frames again, so reaching the reserve is an underrun and no end.
        #expect(mix.song.underruns == 1 && mix.song.state == .waiting)
    }
}
