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

    /// What is being filled when the player is to stop waits for the next start: the source has
    /// moved on.
    @Test(arguments: [false, true])
    func aStopWhenPlayedKeepsWhatIsFilled(endsFirst: Bool) throws {
        let witness = Witness()
        let (filling, next) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        witness.end(at: 1000)
        let player = QueuePlayerNode(
            format: Self.mono, buffers: 1, frames: 100,
            fill: { buffer in
                filling.signal()
                next.wait()
                witness.fill(buffer)
            }, listener: witness.listen)
        let stage = try UnitStage(player)
        player.start()
        next.signal()
        #expect(poll { player.queuedCount == 1 })
        // The thread fills the second buffer once the first has been taken.
        let zeros = [Float](repeating: 0, count: 100)
        filling.wait()
        #expect(Array(try stage.render(zeros, period: 100)[0]) == Self.numbers(0..<100))
        filling.wait()
        player.stop(.whenPlayed)
        if endsFirst { #expect(try stage.render(zeros)[0].allSatisfy { $0 == 0 }) }
        next.signal()
        #expect(poll { player.queuedCount == 1 })
        #expect(try stage.render(zeros)[0].allSatisfy { $0 == 0 })
        #expect(!player.isRunning && player.position == 100)
        for _ in 0..<10 { next.signal() }
        player.start()
        let out = try Self.render(stage, 1000, period: 100)
        #expect(out == Self.numbers(100..<1000) + zeros)
        #expect(!player.isRunning && player.position == 1000)
        #expect(poll { witness.finished == [Bool](repeating: true, count: 10) })
    }

    /// What is being filled while all is dropped is dropped, too, even where the player has been
    /// started again.
    @Test func aStopDropsWhatIsFilled() throws {
        let witness = Witness()
        let (filling, next) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let player = QueuePlayerNode(format: Self.mono, buffers: 1, frames: 100) { buffer in
            filling.signal()
            next.wait()
            witness.fill(buffer)
        }
        let stage = try UnitStage(player)
        player.start()
        filling.wait()
        player.stop()
        player.start()
        for _ in 0..<20 { next.signal() }
        #expect(try Self.render(stage, 300, period: 100) == Self.numbers(100..<400))
    }

    /// A node that is freed calls what it still owes, in order.
    @Test(arguments: [false, true]) func aFreedNodeCallsItsCompletions(plays: Bool) throws {
        let witness = Witness()
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        try graph.add(io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        do {
            let player = QueuePlayerNode(format: Self.mono, listener: witness.listen)
            try graph.add(player)
            try graph.connect(player, to: io)
            for name in 1...5 {
                let steady = [Float](repeating: 0.5, count: name == 1 ? 100 : 10_000)
                try player.schedule(Self.buffer(steady)) { wasPlayed in
                    witness.complete(wasPlayed ? name : -name)
                }
            }
            try graph.update()
            if plays {
                player.start()
                _ = renderer.render(frames: 960)
                #expect(poll { witness.running == [true] && witness.completed == [1] })
            }
            try graph.remove(player)
            try graph.update()
        }
        // A plan still plays, and fades out.
        let fade = renderer.render(frames: 960)[0]
        #expect(!plays || fade[1] > 0.4)
        for _ in 0..<3 {
            graph.collect()
            _ = renderer.render(frames: 64)
        }
        graph.collect()
        #expect(poll { witness.completed.count == 5 })
        #expect(witness.completed == [plays ? 1 : -1, -2, -3, -4, -5])
        #expect(poll { witness.running == (plays ? [true, false] : []) })
        #expect(witness.finished == witness.completed.map { $0 > 0 })
    }

    /// A node that no graph has had has no thread, and calls them itself.
    @Test func aNodeWithoutAGraphCallsItsCompletions() throws {
        let witness = Witness()
        do {
            let player = QueuePlayerNode(format: Self.mono, listener: witness.listen)
            for name in 0..<3 {
                try player.schedule(Self.buffer([1])) { if !$0 { witness.complete(name) } }
            }
        }
        #expect(witness.completed == [0, 1, 2] && witness.finished == [false, false, false])
    }
}
