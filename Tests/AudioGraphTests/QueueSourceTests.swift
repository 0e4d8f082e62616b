import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Sources of any length that are scheduled beside buffers.
@Suite struct QueueSourceTests {
    /// Numbered frames, as those of a file.
    private func source(_ frames: Range<Int>) -> QueueWitness {
        let witness = QueueWitness()
        witness.go(to: frames.lowerBound)
        witness.end(at: frames.upperBound)
        return witness
    }

    @Test(arguments: QueueStage.periods) func sourcesAndBuffersFollowWithoutAGap(
        period: Int
    ) throws {
        let told = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 512)
        func schedule(buffer frames: Range<Int>, _ name: Int) throws {
            try player.schedule(QueueStage.buffer(QueueStage.numbers(frames))) { wasPlayed in
                told.complete(wasPlayed ? name : -name)
            }
        }
        func schedule(source frames: Range<Int>, _ name: Int) throws {
            try player.schedule(filledBy: source(frames).fill) { wasPlayed in
                told.complete(wasPlayed ? name : -name)
            }
        }
        try schedule(buffer: 0..<100, 1)
        try schedule(source: 100..<5000, 2)
        try schedule(buffer: 5000..<5001, 3)
        try schedule(source: 5001..<5001, 4)
        try schedule(source: 5001..<9000, 5)
        try schedule(buffer: 9000..<9500, 6)
        try schedule(buffer: 9500..<9600, 7)
        #expect(player.queuedCount == 7)
        let stage = try UnitStage(player)
        player.prime()
        player.start()
        player.stop(.whenPlayed)
        // They belong to the next run.
        try player.schedule(QueueStage.buffer([1])) { _ in told.complete(8) }
        try player.schedule(filledBy: source(1..<2).fill)
        let out = try QueueStage.render(stage, 10_000, period: period)
        #expect(
            firstDifference(
                [out], [QueueStage.numbers(0..<9600) + [Float](repeating: 0, count: 400)]) == nil)
        #expect(!player.isRunning && player.position == 9600 && player.underruns == 0)
        #expect(poll { told.completed.count == 7 && player.queuedCount == 3 })
        #expect(told.completed == Array(1...7))
        player.start()
        #expect(
            try QueueStage.render(stage, 3, period: period) == [1] + QueueStage.numbers(1..<2) + [0]
        )
        #expect(poll { told.completed.last == 8 && player.queuedCount == 0 })
    }

    /// Many short sources are enough for a long period.
    @Test func shortSourcesFollowWithoutAGap() throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        for part in 0..<100 {
            try player.schedule(filledBy: source(30 * part..<30 * (part + 1)).fill)
        }
        let stage = try UnitStage(player)
        player.start()
        #expect(
            try QueueStage.render(stage, 3000, period: 1024) == QueueStage.numbers(0..<3000))
        #expect(player.underruns == 0)
    }

    /// Offline, two drops in a row leave the new frames as soon as the fade allows.
    @Test func twoDropsInARowAreOne() throws {
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 700)
        try player.schedule(filledBy: source(0..<100_000).fill)
        let stage = try UnitStage(player)
        player.start()
        _ = try QueueStage.render(stage, 1500, period: 1500)
        for first in [200_000, 300_000] {
            player.reset()
            let frames = source(first..<first + 100_000)
            let filled = DispatchSemaphore(value: 0)
            try player.schedule(filledBy: { buffer in
                frames.fill(buffer)
                filled.signal()
            })
            for _ in 0..<3 { #expect(filled.wait(timeout: .now() + 10) == .success) }
        }
        let out = try QueueStage.render(stage, 1500, period: 1500)
        #expect(Array(out[480...]) == QueueStage.numbers(300_240..<301_260))
    }

    /// What has not come into the queue yet is dropped with what has, in its order; the source is not
    /// asked any more.
    @Test(arguments: [false, true]) func whatWaitsIsDroppedToo(resets: Bool) throws {
        let told = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 100)
        let first = source(0..<100_000)
        for (name, fill) in [first.fill, source(0..<10).fill].enumerated() {
            try player.schedule(filledBy: fill) { wasPlayed in
                told.complete(wasPlayed ? 10 + name : -10 - name)
            }
        }
        try player.schedule(QueueStage.buffer([1, 1])) { told.complete($0 ? 12 : -12) }
        let stage = try UnitStage(player)
        player.start()
        #expect(
            try QueueStage.render(stage, 1000, period: 64) == QueueStage.numbers(0..<1000))
        if resets { player.reset() } else { player.stop() }
        try player.schedule(filledBy: source(7000..<7100).fill) { told.complete($0 ? 20 : -20) }
        if !resets { player.start() }
        _ = try QueueStage.render(stage, 1000, period: 64)
        #expect(poll { told.completed.count == 4 })
        #expect(told.completed == [-10, -11, -12, 20])
        if resets { #expect(player.position == 100) }
        #expect(player.queuedCount == 0 && player.isRunning)
    }

    /// The player's own closure fills when what is scheduled has been.
    @Test func theOwnClosureComesLast() throws {
        let own = source(20_000..<21_000)
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 300, fill: own.fill)
        try player.schedule(filledBy: source(0..<2000).fill)
        let stage = try UnitStage(player)
        player.start()
        let out = try QueueStage.render(stage, 3100)
        #expect(
            out == QueueStage.numbers(0..<2000) + QueueStage.numbers(20_000..<21_000)
                + [Float](repeating: 0, count: 100))
        #expect(!player.isRunning)
        // A source starts another run.
        try player.schedule(filledBy: source(50..<60).fill)
        player.start()
        #expect(
            Array(try QueueStage.render(stage, 20)) == QueueStage.numbers(50..<60)
                + [Float](repeating: 0, count: 10))
        #expect(!player.isRunning)
    }

    /// At a flush between two sources the converter plays out what it holds: each is heard as if it
    /// were alone.
    @Test(arguments: [37, 256]) func aFlushWaitsForItsTurn(period: Int) throws {
        let format = StreamFormat(sampleRate: 24_000, channelCount: 1)
        func play(_ sources: [Range<Int>], flushes: Bool) throws -> [Float] {
            let player = QueuePlayerNode(format: format, frames: 100)
            for frames in sources {
                try player.schedule(filledBy: source(frames).fill)
                if flushes { player.flush() }
            }
            let stage = try UnitStage(player)
            player.start()
            return try QueueStage.render(stage, 3000, period: period)
        }
        let alone = try play([500_000..<500_400], flushes: false)
        let flushed = try play([900_000..<900_400, 500_000..<500_400], flushes: true)
        let joined = try play([900_000..<900_400, 500_000..<500_400], flushes: false)
        // 800 frames of the first, and what its filter still gives, up to 3 ms.
        let tail = try #require(
            (800..<960).first { start in
                (0..<2000).allSatisfy { flushed[start + $0] == alone[$0] }
            })
        #expect(tail > 800)
        #expect(
            !(800..<960).contains { start in
                (0..<2000).allSatisfy { joined[start + $0] == alone[$0] }
            })
    }

    @Test func aFullQueueTakesNoSource() throws {
        let player = QueuePlayerNode(format: QueueStage.mono)
        for index in 0..<256 {
            if index % 2 == 0 {
                try player.schedule(filledBy: source(0..<1).fill)
            } else {
                try player.schedule(QueueStage.buffer([1]))
            }
        }
        #expect(throws: QueueError.queueIsFull(node: "queue-player", limit: 256)) {
            try player.schedule(filledBy: source(0..<1).fill)
        }
        #expect(throws: QueueError.queueIsFull(node: "queue-player", limit: 256)) {
            try player.schedule(QueueStage.buffer([1]))
        }
        let stage = try UnitStage(player)
        player.start()
        _ = try QueueStage.render(stage, 400, period: 2)
        #expect(poll { player.queuedCount == 0 } && player.position == 256)
    }

    /// A freed node says so of what waits.
    @Test func aFreedNodeCallsTheirCompletions() throws {
        let told = QueueWitness()
        do {
            let player = QueuePlayerNode(format: QueueStage.mono, frames: 100)
            for name in 0..<3 {
                try player.schedule(filledBy: source(0..<1000).fill) {
                    if !$0 { told.complete(name) }
                }
            }
            let stage = try UnitStage(player)
            #expect(poll { player.queuedCount == 6 })
            _ = stage
        }
        #expect(poll { told.completed == [0, 1, 2] })
    }
}
