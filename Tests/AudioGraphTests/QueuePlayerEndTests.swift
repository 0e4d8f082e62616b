import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// What becomes of buffers when the queue is full, the player stops, or its node is freed.
extension QueuePlayerTests {
    /// A place in the queue is free when its buffer was given back, not when it was played: what
    /// comes next does not change what is told of it.
    @Test func aFullQueueIsGivenBackFirst() throws {
        let witness = Witness()
        let player = QueuePlayerNode(format: Self.mono)
        let hold = NSLock()
        hold.lock()
        for name in 0..<256 {
            try player.schedule(Self.buffer([1])) { wasPlayed in
                // The first one holds the thread back.
                if name == 0 { hold.withLock {} }
                witness.complete(wasPlayed ? name : -name)
            }
        }
        let stage = try UnitStage(player)
        player.start()
        _ = try Self.render(stage, 300)
        // At most the first was given back.
        var refused = 0
        for _ in 0..<256 {
            do { try player.schedule(Self.buffer([1])) } catch { refused += 1 }
        }
        hold.unlock()
        #expect(refused >= 255)
        #expect(poll { witness.completed.count == 256 })
        #expect(witness.completed == Array(0..<256))
        #expect(poll { player.queuedCount <= 1 })
        try player.schedule(Self.buffer([1]))
    }
}
