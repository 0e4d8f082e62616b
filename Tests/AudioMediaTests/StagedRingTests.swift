import AudioGraph
import TestSupport
import Testing

@testable import AudioMedia

/// Frames on their way through a stage into the ring: nothing is lost, moved or numbered wrongly.
@Suite struct StagedRingTests {
    /// Doubles every frame, and holds the newest back.
    private final class HoldingStage: FrameStage {
        private let kept: Int
        private var held: [Float] = []

        init(keeping kept: Int) { self.kept = kept }

        func process(_ input: [Float], into output: inout [Float]) {
            held += input.map { 2 * $0 }
            let ready = max(0, held.count - 2 * kept)
            output += held.prefix(ready)
            held.removeFirst(ready)
        }

        func drain(into output: inout [Float]) {
            output += held
            held = []
        }

        func reset() { held = [] }
    }

    private let source: SongSource
    private let renderer: OfflineRenderer
    private let ring: StagedRing

    init() throws {
        let graph = Graph(sampleRate: 48_000)
        source = SongSource(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 0)
        for node in [source, io] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: io)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph, period: 100)
        renderer.patience = 0
        ring = StagedRing(
            source.feed,
            stages: [HoldingStage(keeping: 700), HoldingStage(keeping: 33)])
    }

    /// Frames whose left side counts from `first`.
    private func frames(_ count: Int, from first: Int) -> [Float] {
        (0..<count).flatMap { [Float(first + $0), 0.5] }
    }

    private func append(_ count: Int, from first: Int, as frame: Int64) {
        let frames = frames(count, from: first)
        unsafe frames.withUnsafeBufferPointer {
            unsafe ring.append($0.baseAddress!, count: count, as: frame)
        }
    }

    @Test func framesStayInTheirPlaces() {
        append(1000, from: 0, as: 5000)
        #expect(source.feed.bufferedFrames == 1000 - 733 && ring.given == 1000)
        // Another song begins within what the stages hold.
        append(600, from: 1000, as: 0)
        ring.drain()
        #expect(source.feed.bufferedFrames == 1600 && ring.heard == 0 && !ring.isFull)
        source.feed.finish()
        source.feed.release()
        var heard: [Float] = []
        for number in 1...15 {
            heard += renderer.render(frames: 100)[0]
            let place = 100 * number
            #expect(ring.heard == place)
            #expect(source.position == Int64(place < 1000 ? 5000 + place : place - 1000))
        }
        // The song did not begin with its frame 0: it fades in over 240 frames.
        let wanted: [Float] = (240..<1500).map { (n: Int) in Float(4 * n) }
        #expect(Array(heard[240...]) == wanted)
    }

    @Test func framesOfAnotherStretchDoNotMeetThoseBefore() {
        append(900, from: 0, as: 0)
        ring.begin()
        #expect(!ring.isBegun && ring.given == 900)
        source.feed.flush()
        // Carries the flush out.
        _ = renderer.render(frames: 300)
        append(1000, from: 2000, as: 48_000)
        ring.drain()
        #expect(source.feed.bufferedFrames == 1000 && ring.heard == 900 && ring.isBegun)
        ring.finish(at: 49_000)
        source.feed.release()
        let heard = renderer.render(frames: 1000)[0]
        let wanted: [Float] = (2240..<3000).map { (n: Int) in Float(4 * n) }
        #expect(Array(heard[240...]) == wanted)
        #expect(source.position == 49_000 && ring.heard == 1900)
    }

    @Test func whatTheRingHasNoSpaceForWaits() {
        let capacity = source.feed.capacity
        var given = 0
        while given < 3 * capacity {
            let count = min(ring.room, 3 * capacity - given)
            if count > 0 {
                append(count, from: given % 1000, as: Int64(given))
                given += count
            } else {
                ring.deliver()
                source.feed.release()
                _ = renderer.render(frames: 1000)
                ring.deliver()
            }
            #expect(source.feed.bufferedFrames <= capacity)
        }
        ring.drain()
        #expect(Int(source.position) + source.feed.bufferedFrames == given || ring.isFull)
        while ring.isFull {
            _ = renderer.render(frames: 1000)
            ring.deliver()
        }
        #expect(Int(source.position) + source.feed.bufferedFrames == given)
    }

    /// Everything that is heard of a song whose effects change at these frames.
    private func play(_ song: [Float], _ changes: [Int: SongEffects]) -> [Float] {
        let ring = StagedRing(source.feed)
        var (heard, done) = ([Float](), 0)
        func render() {
            source.feed.release()
            let sides = renderer.render(frames: 1000)
            heard += interleaved(sides[0], sides[1])
            ring.deliver()
        }
        while 2 * done < song.count {
            if let effects = changes[done] { ring.set(effects, isLive: false) }
            let next = changes.keys.filter { $0 > done }.min() ?? .max
            let count = min(ring.room, song.count / 2 - done, next - done)
            guard count > 0 else {
                render()
                continue
            }
            unsafe song.withUnsafeBufferPointer {
                unsafe ring.append($0.baseAddress! + 2 * done, count: count, as: Int64(done))
            }
            done += count
        }
        ring.drain()
        while ring.isFull { render() }
        source.feed.finish()
        while source.state != .ended { render() }
        #expect(source.underruns == 0 && ring.heard == done)
        return Array(heard.prefix(2 * ring.pushed))
    }

    /// What stages make of the song that are given every frame from `first` on.
    private func staged(
        _ song: [Float], _ changes: [Int: SongEffects], from first: Int = 0
    ) -> [Float] {
        var stages = StageChain(sampleRate: 48_000)
        var output: [Float] = []
        func take() {
            while let run = stages.next {
                unsafe stages.take(run.count) {
                    unsafe output += UnsafeBufferPointer(start: $0, count: 2 * run.count)
                }
            }
        }
        for frame in stride(from: first, to: song.count / 2, by: 480) {
            if let effects = changes[frame] { stages.set(effects) }
            let count = min(480, song.count / 2 - frame)
            unsafe song.withUnsafeBufferPointer {
                unsafe stages.append($0.baseAddress! + 2 * frame, count: count)
            }
            take()
        }
        stages.drain()
        take()
        return output
    }

    private static let effects: [SongEffects] = {
        var vocals = VocalRemoval()
        (vocals.amount, vocals.mode) = (70, .plain)
        return [
            SongEffects(tuning: SongTuning(key: 3)!), SongEffects(tuning: SongTuning(tempo: 80)!),
            SongEffects(vocals: vocals),
        ]
    }()

    /// Frames that went past the stages make no difference: turned on, off and on again, effects sound
    /// as if they had heard all.
    @Test(arguments: effects) func effectsThatAreTurnedOnHaveHeardTheSong(effects: SongEffects) {
        let song = Noise(seed: 7).prefix(2 * 156_000)
        let none = SongEffects()
        let changes = [
            12_000: effects, 62_400: none, 67_200: effects, 81_600: none, 148_800: effects,
        ]
        #expect(firstDifference(play(song, changes), staged(song, changes)) == nil)
    }

    /// The next song has none: that is told too, though its frames need no stage.
    @Test(arguments: effects) func effectsThatEndWithTheirSongAreTold(effects: SongEffects) {
        let ring = StagedRing(source.feed)
        for effects in [effects, SongEffects(), SongEffects()] {
            ring.set(effects, isLive: false)
            unsafe frames(1000, from: 0).withUnsafeBufferPointer {
                unsafe ring.append($0.baseAddress!, count: 1000, as: 0)
            }
            ring.drain()
        }
        #expect(
            ring.takeNews() == [.effects(effects, frame: 0), .effects(SongEffects(), frame: 0)])
    }

    /// A voice is looked for in what the ring still holds, too.
    @Test func aVoiceIsFoundByWhatTheRingHolds() {
        var vocals = VocalRemoval()
        vocals.amount = 100
        let song = Noise(seed: 8).prefix(2 * 50_000)
        let changes = [31_200: SongEffects(vocals: vocals)]
        let first = 31_200 - source.feed.capacity
        let heard = play(song, changes)
        #expect(firstDifference(heard.prefix(2 * first), song.prefix(2 * first)) == nil)
        let expected = staged(song, changes, from: first)
        #expect(firstDifference(heard.dropFirst(2 * first), expected) == nil)
        #expect(firstDifference(heard, song) != nil)
    }

    /// A song that is played faster or slower is numbered as its own frames go by.
    @Test(arguments: [0.8, 1.25, 2.5])
    func aStepNumbersTheSongsOwnFrames(step: Double) {
        let count = 5000
        let samples = [Float](repeating: 0.25, count: 2 * count)
        for part in 0..<10 {
            let done = 500 * part
            unsafe samples.withUnsafeBufferPointer {
                unsafe source.feed.push(
                    $0.baseAddress! + 2 * done, count: 500, at: 100 + Int64(Double(done) * step),
                    step: step)
            }
        }
        source.feed.number(from: 77_000)
        source.feed.finish()
        source.feed.release()
        for number in 1..<50 {
            _ = renderer.render(frames: 100)
            #expect(source.position == 100 + Int64(Double(100 * number) * step))
        }
        _ = renderer.render(frames: 100)
        #expect(source.position == 77_000)
    }
}
