import TestSupport
import Testing

@testable import AudioGraph

/// Songs that sound together, each frame with the same frame of the first.
@Suite struct FollowingSongTests {
    /// One song, and what its thread would do: the frame of number n is n + 1.
    private final class Voice {
        let source: SongSource
        let length: Int
        var next = 0
        /// Where it is sought, and after how many cycles its thread gets to that.
        var goal: (frame: Int, wait: Int)?
        private var isFlushing = false
        private var isReleased = false

        init(_ source: SongSource, length: Int) {
            (self.source, self.length) = (source, length)
        }

        func work(_ random: inout SeededRandom) {
            let feed = source.feed
            if let goal {
                guard goal.wait == 0 else {
                    self.goal?.wait -= 1
                    return
                }
                if !isFlushing { feed.flush() }
                (isFlushing, isReleased) = (true, false)
                guard feed.isFlushed else { return }
                (next, isFlushing, self.goal) = (min(max(0, goal.frame), length), false, nil)
                feed.number(from: Int64(next))
            }
            let count = min(feed.space, length - next, Int.random(in: 2000...4000, using: &random))
            let frames: [Float] = (0..<2 * max(0, count)).map { index in
                index % 2 == 0 ? Float(next + index / 2 + 1) : 0
            }
            unsafe frames.withUnsafeBufferPointer { buffer in
                guard count > 0, let start = buffer.baseAddress else { return }
                unsafe feed.push(start, count: count, at: Int64(next))
            }
            next += max(0, count)
            if next == length { feed.finish() }
            if !isReleased, feed.space == 0 || next == length {
                feed.release()
                isReleased = true
            }
        }
    }

    private let graph = Graph(sampleRate: 48_000)
    private let io = HardwareIO(inputChannels: 0, directOutputs: 1)
    private let song: Voice
    private let voice: Voice
    private let renderer: OfflineRenderer

    /// - Parameter voiceFrames: how many the voice has, of the song's 400,000.
    init() throws { try self.init(voiceFrames: 400_000) }

    private init(voiceFrames: Int) throws {
        let leader = SongSource(leadingAt: 48_000, name: "song")
        let follower = SongSource(following: leader, name: "voice")
        song = Voice(leader, length: 400_000)
        voice = Voice(follower, length: voiceFrames)
        for node in [io, follower, leader] { try graph.add(node) }
        // The voice is asked for first, and rendered last all the same.
        try graph.connect(follower, to: io)
        try graph.connect(leader, to: io, bus: 1)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph)
        renderer.patience = 0
    }

    /// Renders, while the songs' threads do their work; song and voice as they are heard.
    private func render(
        cycles: Int, _ random: inout SeededRandom
    ) -> (song: [Float], voice: [Float]) {
        var out = (song: [Float](), voice: [Float]())
        for _ in 0..<cycles {
            if Bool.random(using: &random) { song.work(&random) }
            if Bool.random(using: &random) { voice.work(&random) }
            renderer.period = [64, 100, 128, 1024].randomElement(using: &random) ?? 128
            let channels = renderer.render(frames: renderer.period)
            out.voice += channels[0]
            out.song += channels[2]
        }
        return out
    }

    private func seek(to frame: Int, offset: Int, _ random: inout SeededRandom) {
        song.goal = (frame, Int.random(in: 0...20, using: &random))
        voice.goal = (frame - offset, Int.random(in: 0...20, using: &random))
    }

    /// The frame of each sample that is not faded; nil for silence and within fades.
    private func frames(_ samples: [Float]) -> [Int?] {
        samples.indices.map { index in
            let isWhole =
                index > 0 && samples[index] - samples[index - 1] == 1
                || index + 1 < samples.count && samples[index + 1] - samples[index] == 1
            return isWhole && samples[index].rounded() == samples[index]
                ? Int(samples[index]) - 1 : nil
        }
    }

    @Test func framesSoundTogetherThroughSeeksAndPauses() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("FollowingSongTests: seed \(seed)")
        var random = SeededRandom(seed: seed)
        var (heard, together, beginnings) = (0, 0, 0)
        var offset = 0
        for round in 0..<60 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                seek(to: Int.random(in: 0..<390_000, using: &random), offset: offset, &random)
            case 1:
                song.source.isPaused = true
                _ = render(cycles: Int.random(in: 1...30, using: &random), &random)
                song.source.isPaused = false
            case 2 where song.source.state == .playing && song.goal == nil:
                offset = Int.random(in: -400...400, using: &random)
                voice.source.offset = offset
            default: break
            }
            // Until the fades of this change are over, frames are told apart by their numbers alone.
            let out = render(cycles: 120, &random)
            let (songs, voices) = (frames(out.song), frames(out.voice))
            for (index, frame) in songs.enumerated() {
                guard let frame else { continue }
                heard += 1
                guard let other = voices[index] else { continue }
                together += 1
                // A change that the render thread has not seen yet sounds for the fade out alone.
                try #require(
                    other == frame - offset,
                    "seed \(seed), round \(round), frame \(frame): \(other)")
            }
            // Where the song begins the voice does: both are heard when they have faded in.
            for index in out.song.indices.dropFirst(500).dropLast(1000)
            where out.song[index] != 0 && out.song[index - 500..<index].allSatisfy({ $0 == 0 }) {
                try #require(
                    voices[index + 900] != nil, "seed \(seed), round \(round), sample \(index)")
                beginnings += 1
            }
            if song.next == song.length { seek(to: 1000, offset: offset, &random) }
        }
        #expect(heard > 500_000 && beginnings > 10, "seed \(seed)")
        // A voice that is sought before its song is silent until they begin.
        #expect(Double(together) > 0.85 * Double(heard), "seed \(seed): \(together) of \(heard)")
    }

    @Test func beginsWithAllAtTheFirstFrame() {
        var random = SeededRandom(seed: 1)
        while song.next < 10_000 { song.work(&random) }
        while song.source.feed.space > 0 { song.work(&random) }
        song.work(&random)
        // The voice is not there: the song waits for it.
        #expect(renderer.render(frames: 20_000).allSatisfy { $0.allSatisfy { $0 == 0 } })
        while voice.source.feed.space > 0 { voice.work(&random) }
        voice.work(&random)
        let out = renderer.render(frames: 4096)
        let start = out[2].firstIndex { $0 != 0 }
        #expect(start != nil && start == out[0].firstIndex { $0 != 0 })
        #expect(out[0] == out[2])
    }

    @Test func waitsTwoSecondsForAVoiceThatNeverComes() {
        var random = SeededRandom(seed: 1)
        while song.source.feed.space > 0 { song.work(&random) }
        song.work(&random)
        let out = renderer.render(frames: 5 * 24_000)
        #expect(out[2].prefix(96_000).allSatisfy { $0 == 0 })
        #expect(out[2].contains { $0 != 0 })
    }

    @Test func playsTheVoiceToItsEndBehindTheSongs() {
        var random = SeededRandom(seed: 1)
        voice.source.offset = 10_000
        seek(to: 390_000, offset: 10_000, &random)
        let out = render(cycles: 300, &random)
        let last = out.voice.lastIndex { $0 != 0 }
        let songsLast = out.song.lastIndex { $0 != 0 }
        #expect(out.song[songsLast ?? 0] == 400_000)
        #expect(out.voice[last ?? 0] == 400_000)
        #expect((last ?? 0) - (songsLast ?? 0) == 10_000)
    }

    @Test func goesOnWithoutAVoiceThatIsOver() throws {
        let short = try FollowingSongTests(voiceFrames: 5000)
        var random = SeededRandom(seed: 2)
        short.seek(to: 100_000, offset: 0, &random)
        let out = short.render(cycles: 200, &random)
        #expect(out.voice.allSatisfy { $0 == 0 })
        #expect(out.song.contains { $0 > 100_000 })
    }
}
