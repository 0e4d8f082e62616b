import AudioGraph
import TestSupport
import Testing

/// Songs that are bound to a transport.
@Suite struct TransportTests {
    private static let song = Signal.noise(20_000, seed: 11, amplitude: 0.4)
    private static let fade = 240

    private let mix: MixGraph
    private let renderer: OfflineRenderer

    init() throws {
        mix = try MixGraph(limiter: false)
        renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
    }

    private func feed(_ range: Range<Int>) {
        mix.feed(Array(Self.song[range]), Array(Self.song[range]), at: Int64(range.lowerBound))
    }

    /// The transport is at a frame of the song.
    private func follow(_ frame: Int64, _ isRolling: Bool) -> () -> Void {
        { unsafe mix.graph.context.pointee.follow(frame: frame, isRolling: isRolling) }
    }

    /// 20,000 frames under a transport that stops, starts, and jumps forward, also to frames that
    /// the ring does not hold.
    private func render(period: () -> Int) throws -> [Float] {
        let edits: [(Int64, () -> Void)] = [
            (0, follow(0, false)), (0, { feed(0..<10_000) }), (0, mix.song.feed.release),
            // The song's own first frame: it is not faded in.
            (1001, follow(0, true)),
            (3000, follow(1999, false)),
            // The transport goes on 1000 frames after where the song stands: these are dropped.
            (5000, follow(3239, true)),
            // A seek: the transport begins 300 frames before the first frame in the ring.
            (7000, follow(10_700, false)), (7000, mix.song.feed.flush),
            (8000, { feed(11_000..<20_000) }), (8000, mix.song.feed.release),
            (9000, follow(10_700, true)),
            // The transport skips 128 frames, as after a missed cycle.
            (12_000, follow(13_828, true)),
            (12_500, mix.song.feed.finish),
        ]
        for (frame, edit) in edits { renderer.schedule(at: frame, edit) }
        var out: [Float] = []
        while out.count < 20_000 {
            renderer.period = period()
            out += renderer.render(frames: min(renderer.period, 20_000 - out.count))[0]
        }
        return out
    }

    @Test func everyFrameHasItsPlace() throws {
        let out = try render { 128 }
        func check(_ range: Range<Int>, at frame: Int) {
            let wrong = range.first { out[$0] != Self.song[frame + $0 - range.lowerBound] }
            #expect(wrong == nil, "frame \(wrong ?? 0)")
        }
        func checkSilence(_ range: Range<Int>) {
            #expect(range.allSatisfy { out[$0] == 0 }, "\(range)")
        }
        checkSilence(0..<1001)
        check(1001..<3000, at: 0)
        checkSilence(3000 + Self.fade..<5000)
        check(5000 + Self.fade..<7000, at: 3239 + Self.fade)
        checkSilence(7000 + Self.fade..<9300)
        check(9300 + Self.fade..<12_000, at: 11_000 + Self.fade)
        // The song fades out, drops the missed frames, and fades in.
        check(12_000 + 2 * Self.fade..<18_172, at: 13_828 + 2 * Self.fade)
        checkSilence(18_172..<20_000)
    }

    /// A song that has not faded in yet fades out from where it is.
    @Test func aStopWithinTheFadeIn() throws {
        feed(2000..<10_000)
        mix.song.feed.release()
        follow(2000, true)()
        renderer.schedule(at: 100, follow(2100, false))
        let out = renderer.render(frames: 1000)[0]
        for frame in 0..<1000 {
            let rise = Float(min(frame, 100)) / Float(Self.fade)
            let gain = rise * max(0, 1 - Float(max(0, frame - 100)) / Float(Self.fade))
            let wanted = Self.song[2000 + frame] * gain
            try #require(abs(out[frame] - wanted) < 1e-6, "frame \(frame)")
        }
    }

    @Test(arguments: [1, 16, 64, 480, 1024, 4096]) func everyPeriodGivesTheSameBits(
        period: Int
    ) throws {
        let other = try TransportTests()
        #expect(try firstDifference([render { period }], [other.render { 128 }]) == nil)
    }
}
