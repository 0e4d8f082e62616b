import AudioGraph
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
