import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// A copy of the sound on another thread.
@Suite struct TapTests {
    private final class Heard: @unchecked Sendable {
        // Safety: `lock` guards both arrays..
        private let lock = NSLock()
        private var heardFrames: [Int] = []
        private var heardChannels: [[Float]] = [[], []]
        private var calls = 0
        /// Holds the reader back while it is locked.
        let gate = NSLock()

        @Sendable func read(frame: Int, channels: [[Float]]) {
            lock.withLock { calls += 1 }
            gate.lock()
            gate.unlock()
            lock.withLock {
                heardFrames.append(frame)
                for (index, samples) in channels.enumerated() { heardChannels[index] += samples }
            }
        }

        var callCount: Int { lock.withLock { calls } }
        var frames: [Int] { lock.withLock { heardFrames } }
        var channels: [[Float]] { lock.withLock { heardChannels } }
        var count: Int { channels[0].count }
    }

    @Test(arguments: [37, 64, 1000]) func everyFrameIsReadInItsOrder(period: Int) throws {
        let heard = Heard()
        let stage = try UnitStage(TapNode(heard.read))
        let noise = Signal.noise(20_000, seed: 8)
        #expect(try stage.render(noise, period: period)[0] == noise)
        #expect(poll { heard.count == 20_000 })
        let (frames, channels) = (heard.frames, heard.channels)
        #expect(channels == [noise, noise])
        #expect(frames.first == 0 && frames == frames.sorted() && frames.count >= 20_000 / 256)
        #expect(stage.unit.property("dropped") == .number(0))
    }

    @Test func whatALateReaderMissesIsCounted() throws {
        let heard = Heard()
        heard.gate.lock()
        let tap = TapNode(slices: 4, heard.read)
        let stage = try UnitStage(tap)
        _ = try stage.render([Float](repeating: 1, count: 640), period: 64)
        // At most the slice that the reader holds is in the ring beside four.
        #expect(tap.droppedFrames == 6 * 64)
        heard.gate.unlock()
        #expect(poll { heard.count == 4 * 64 })
        _ = try stage.render([Float](repeating: 1, count: 64), period: 64)
        #expect(poll { heard.count == 5 * 64 })
        // The count stays when the node has left its graph.
        defer {
            try? stage.graph.remove(tap)
            _ = try? stage.render([Float](repeating: 1, count: 4800), period: 64)
            stage.graph.collect()
            #expect(tap.rendering == nil && tap.droppedFrames >= 6 * 64)
        }
        // After the gap the frames have the graph's numbers.
        #expect(heard.frames == [0, 64, 128, 192, 640])
        tap.stop()
    }

    @Test func aTapThatIsFreedLetsItsReaderGo() throws {
        weak var reader: Heard?
        do {
            let heard = Heard()
            reader = heard
            let stage = try UnitStage(TapNode(heard.read))
            _ = try stage.render([Float](repeating: 1, count: 64))
        }
        #expect(poll { reader == nil })
    }

    /// A reader with a rate of its own gets a converter's bits, whatever the periods.
    /// In its next graph a tap reads when it has read all of the one before.
    @Test func aReaderIsOnOneThread() throws {
        let heard = Heard()
        heard.gate.lock()
        let tap = TapNode(heard.read)
        let ones = [Float](repeating: 1, count: 640)
        _ = try UnitStage(tap).render(ones, period: 64)
        let stage = try UnitStage(tap)
        _ = try stage.render([Float](repeating: 2, count: 640), period: 64)
        // The thread of this graph would have called long since.
        #expect(!poll(seconds: 0.2) { heard.callCount > 1 })
        heard.gate.unlock()
        #expect(poll { heard.count == 1280 })
        #expect(heard.channels[0] == ones + [Float](repeating: 2, count: 640))
    }

    @Test(arguments: [37, 1000]) func aReaderHasItsOwnRate(period: Int) throws {
        let heard = Heard()
        let tap = TapNode(sampleRate: 44_100, heard.read)
        let stage = try UnitStage(tap)
        let noise = Signal.noise(20_000, seed: 9)
        #expect(try stage.render(noise, period: period)[0] == noise)
        tap.stop()
        let converter = try Converter(
            from: StreamFormat(sampleRate: 48_000, channelCount: 1),
            to: StreamFormat(sampleRate: 44_100, channelCount: 1), timing: .aligned)
        let expected =
            converter.convert(AudioBuffer([noise], sampleRate: 48_000)).samples(channel: 0)
            + converter.drain().samples(channel: 0)
        #expect(poll { heard.count == expected.count })
        #expect(expected.count == 18_375 && heard.channels == [expected, expected])
        // Every piece is numbered by the frames before it.
        #expect(heard.frames.first == 0 && heard.frames == heard.frames.sorted())
    }

    /// After a gap the frames have the numbers of their places again.
    @Test func aGapIsAJointAtEveryRate() throws {
        let heard = Heard()
        heard.gate.lock()
        let tap = TapNode(sampleRate: 24_000, slices: 4, heard.read)
        let stage = try UnitStage(tap)
        _ = try stage.render([Float](repeating: 1, count: 64_000), period: 64)
        heard.gate.unlock()
        #expect(poll { tap.property("dropped") != .number(0) && heard.count > 0 })
        let dropped = tap.droppedFrames
        #expect(poll { tap.waitingSlices == 0 })
        _ = try stage.render([Float](repeating: 1, count: 64), period: 64)
        tap.stop()
        #expect(poll { heard.count == (64_064 - dropped) / 2 })
        #expect(heard.frames.last.map { $0 >= 32_000 } == true)
        #expect(tap.droppedFrames == dropped)
        // What was before the gap rings out, and is not joined to what comes after it.
        let samples = heard.channels[0]
        #expect(samples[20..<samples.count - 20].contains { $0 < 0.9 })
    }

    @Test func anotherRatioIsRefused() throws {
        let error = ConverterError.ratesOutOfRange(from: 48_000, to: 5000)
        #expect(throws: GraphError.noConverter(node: "tap", error)) {
            try UnitStage(TapNode(sampleRate: 5000) { _, _ in })
        }
    }
}
