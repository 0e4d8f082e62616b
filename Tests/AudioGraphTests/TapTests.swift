import AudioGraph
import Foundation
import TestSupport
import Testing

/// A copy of the sound on another thread.
@Suite struct TapTests {
    private final class Heard: @unchecked Sendable {
        // Safety: `lock` guards both arrays. No Mutex, which ThreadSanitizer does not know.
        private let lock = NSLock()
        private var heardFrames: [Int] = []
        private var heardChannels: [[Float]] = [[], []]
        /// Holds the reader back while it is locked.
        let gate = NSLock()

        @Sendable func read(frame: Int, channels: [[Float]]) {
            gate.lock()
            gate.unlock()
            lock.withLock {
                heardFrames.append(frame)
                for (index, samples) in channels.enumerated() { heardChannels[index] += samples }
            }
        }

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
}
