import SystemSupport
import TestSupport
import Testing

@Suite struct WorkLineTests {
    private struct Refusal: Error, Equatable {
        let piece: Int
    }

    /// What the thread did, in its order.
    private final class Log: Sendable {
        let pieces = Guarded<[Int]>([])
        var all: [Int] { pieces.withLock { $0 } }
    }

    @Test func allIsDoneInItsOrder() throws {
        let log = Log()
        let line = WorkLine<Int, Refusal>("test", limit: 3) { piece throws(Refusal) in
            log.pieces.withLock { $0.append(piece) }
        }
        for piece in 0..<1000 { try line.add(piece) }
        try line.finish()
        #expect(log.all == Array(0..<1000))
        try line.add(1000)
        try line.finish()
        #expect(log.all.last == 1000)
    }

    @Test func aFailureEndsTheWork() throws {
        let log = Log()
        let line = WorkLine<Int, Refusal>("test", limit: 3) { piece throws(Refusal) in
            if piece == 7 { throw Refusal(piece: piece) }
            log.pieces.withLock { $0.append(piece) }
        }
        #expect(throws: Refusal(piece: 7)) {
            for piece in 0..<1000 { try line.add(piece) }
        }
        #expect(throws: Refusal(piece: 7)) { try line.finish() }
        #expect(throws: Refusal(piece: 7)) { try line.add(8) }
        #expect(log.all == Array(0..<7))
    }

    /// While a piece is done, three or four others wait, and no more are taken.
    @Test func whoIsTooFastWaits() throws {
        let (ahead, given) = (Log(), Log())
        let line = WorkLine<Int, Refusal>("test", limit: 4) { piece throws(Refusal) in
            _ = PolledWait.run(milliseconds: 60_000) { given.all.count >= min(piece + 4, 50) }
            ahead.pieces.withLock { $0.append(given.all.count - piece) }
        }
        for piece in 0..<50 {
            try line.add(piece)
            given.pieces.withLock { $0.append(piece) }
        }
        try line.finish()
        #expect(ahead.all.prefix(46).allSatisfy { (4...5).contains($0) })
        #expect(ahead.all.suffix(4) == [4, 3, 2, 1])
    }
}
