import TestSupport
import Testing

@testable import AudioGraph

/// The ring between the render thread and another.
@Suite struct FrameRingTests {
    /// Samples that tell frame and channel.
    private static func sample(_ frame: Int, _ channel: Int) -> Float {
        Float(frame * 4 + channel)
    }

    /// What a step reads: a bus of one channel and one of two.
    private final class Source {
        // Safety: the memory lives as long as the source.
        private let samples = (0..<3).map { _ in
            UnsafeMutablePointer<Float>.allocate(capacity: longestSlice)
        }
        private let channels =
            UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 3)
        private let rest = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
        private let list = UnsafeMutablePointer<Bus>.allocate(capacity: 2)

        init() {
            for (i, each) in samples.enumerated() { channels[i] = each }
            rest.initialize(to: false)
            list.initialize(to: Bus(channels: channels, channelCount: 1, rest: rest))
            (list + 1).initialize(to: Bus(channels: channels + 1, channelCount: 2, rest: rest))
        }

        deinit {
            for each in samples { each.deallocate() }
            channels.deallocate()
            rest.deallocate()
            list.deallocate()
        }

        /// Renders a slice of samples that tell the frame.
        func render(_ kernel: UnsafeMutablePointer<TapKernel>, frame: Int, count: Int) {
            for channel in 0..<3 {
                for i in 0..<count {
                    samples[channel][i] = FrameRingTests.sample(frame + i, channel)
                }
            }
            kernel.pointee.render(
                Slice(
                    inputs: channels, outputs: channels, offset: 0, count: count, frame: frame,
                    transport: 0, isReset: false), Buses(list, count: 2), Buses(list, count: 0))
        }
    }

    /// Slices of random lengths with gaps between some, read in pieces of random lengths: every frame
    /// is read once, under its number, or counted as dropped. No piece reaches over a gap.
    @Test(arguments: 1...20, [false, true]) func everyFrameIsReadOrDropped(
        seed: UInt64, keepsSlices: Bool
    ) {
        var random = SeededRandom(seed: seed)
        let capacity = Int.random(in: 1...1500, using: &random)
        let slices = (capacity + 255) / 256
        let tape =
            keepsSlices
            ? RecorderTape(channelCounts: [2, 2], slices: slices)
            : RecorderTape(channelCounts: [2, 2], capacity: capacity)
        let source = Source()
        var (frame, next, read, pushed, dropped, gaps) = (0, 0, 0, 0, 0, 0)
        var lengths: [Int: Int] = [:]
        for _ in 0..<2000 {
            if Int.random(in: 0..<10, using: &random) == 0 {
                frame += Int.random(in: 1...99, using: &random)
            }
            let count = Int.random(in: 1...longestSlice, using: &random)
            source.render(tape.kernel.pointer, frame: frame, count: count)
            if tape.droppedFrames == dropped { lengths[frame] = count }
            dropped = tape.droppedFrames
            (frame, pushed) = (frame + count, pushed + count)
            #expect(tape.waitingFrames <= tape.capacity)
            while Bool.random(using: &random) {
                let most =
                    keepsSlices ? Int.max : Int.random(in: 1...400, using: &random)
                guard let piece = tape.read(atMost: most) else { break }
                #expect(piece.frame >= next, "seed \(seed)")
                if piece.frame > next { gaps += 1 }
                if keepsSlices { #expect(piece.frameCount == lengths[piece.frame]) }
                let frames = piece.frame..<piece.frame + piece.frameCount
                // Of one channel both are made.
                for (bus, channels) in [[0, 0], [1, 2]].enumerated() {
                    #expect(
                        piece.buses[bus]
                            == channels.map { channel in frames.map { Self.sample($0, channel) } },
                        "seed \(seed)")
                }
                (next, read) = (frames.upperBound, read + piece.frameCount)
            }
        }
        #expect(read + tape.waitingFrames + dropped == pushed, "seed \(seed)")
        #expect(gaps > 0 && dropped > 0, "seed \(seed)")
    }

    /// Frames that a thread writes, each channel by itself from an interleaved block, come out as they
    /// were, whatever the pieces; the marks say where they are from.
    @Test(arguments: 1...20) func framesAndMarksStayTogether(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let capacity = Int.random(in: 1...700, using: &random)
        let ring = FrameRing(channelCounts: [2], capacity: capacity, marks: 4)
        var (song, marks, read) = (0, 0, 0)
        var current = FrameRing.Mark(index: 0, frame: 0)
        // What the number of a frame must be, by its index.
        var numbers: [Int] = []
        for _ in 0..<3000 {
            let written = ring.written.load(ordering: .relaxed)
            let jumps = Int.random(in: 0..<5, using: &random) == 0
            let goal = jumps ? Int.random(in: 0..<100_000, using: &random) : song
            let count = min(Int.random(in: 0...300, using: &random), ring.space())
            if count > 0, !jumps || ring.add(FrameRing.Mark(index: written, frame: goal)) {
                song = goal
                let block = (0..<2 * count).map { Self.sample(song + $0 / 2, $0 % 2) }
                block.withUnsafeBufferPointer { block in
                    for channel in 0..<2 {
                        ring.write(
                            channel: channel, at: written, count: count,
                            from: block.baseAddress! + channel, stride: 2)
                    }
                }
                numbers += song..<song + count
                song += count
                ring.written.store(written + count, ordering: .releasing)
            }
            let n = min(Int.random(in: 0...300, using: &random), ring.waiting())
            var out = [Float](repeating: -1, count: max(n, 1))
            for channel in 0..<2 {
                ring.copy(channel: channel, from: read, count: n, to: &out)
                #expect(
                    (0..<n).allSatisfy { out[$0] == Self.sample(numbers[read + $0], channel) },
                    "seed \(seed)")
            }
            for index in read..<read + n {
                while let next = ring.mark(marks), next.index <= index {
                    (current, marks) = (next, marks + 1)
                }
                #expect(current.frame(at: index) == numbers[index], "seed \(seed)")
            }
            read += n
            ring.marksRead.store(marks, ordering: .releasing)
            ring.read.store(read, ordering: .releasing)
        }
        #expect(read > 3 * capacity, "seed \(seed)")
    }

    @Test func aMarkWithoutAPlaceIsRefused() {
        let ring = FrameRing(channelCounts: [1], capacity: 8, marks: 2)
        func add(_ frame: Int) -> Bool { ring.add(FrameRing.Mark(index: frame, frame: frame)) }
        #expect([add(0), add(1), add(2)] == [true, true, false])
        ring.marksRead.store(1, ordering: .releasing)
        #expect([add(2), add(3)] == [true, false] && ring.mark(1)?.frame == 1)
        #expect(ring.mark(2)?.frame == 2 && ring.mark(3) == nil)
    }

    /// A mark may say that its frames stand for more or fewer frames of a song.
    @Test func aMarkHasAStep() {
        let mark = FrameRing.Mark(index: 100, frame: 1000, step: 1.5)
        #expect((100..<105).map(mark.frame(at:)) == [1000, 1001, 1003, 1004, 1006])
        let still = FrameRing.Mark(index: 100, frame: 7, step: 0)
        #expect(still.frame(at: 900) == 7)
    }
}
