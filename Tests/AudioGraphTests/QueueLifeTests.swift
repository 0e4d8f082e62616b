import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// What becomes of buffers when the queue is full, the player stops, or its node is freed.
@Suite struct QueueLifeTests {
    /// A place in the queue is free when its buffer was given back, not when it was played: what
    /// comes next does not change what is told of it.
    @Test func aFullQueueIsGivenBackFirst() throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono)
        let hold = NSLock()
        hold.lock()
        for name in 0..<256 {
            try player.schedule(QueueStage.buffer([1])) { wasPlayed in
                // The first one holds the thread back.
                if name == 0 { hold.withLock {} }
                witness.complete(wasPlayed ? name : -name)
            }
        }
        let stage = try UnitStage(player)
        player.start()
        _ = try QueueStage.render(stage, 300)
        // At most the first was given back.
        var refused = 0
        for _ in 0..<256 {
            do { try player.schedule(QueueStage.buffer([1])) } catch { refused += 1 }
        }
        hold.unlock()
        #expect(refused >= 255)
        #expect(poll { witness.completed.count == 256 })
        #expect(witness.completed == Array(0..<256))
        #expect(poll { player.queuedCount <= 1 })
        try player.schedule(QueueStage.buffer([1]))
    }

    /// What is in the ring fades out, and everything is freed.
    @Test func itMayBeFreedWhileItPlays() throws {
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        weak var source: QueueWitness?
        weak var buffer: AudioBuffer?
        try graph.add(io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        do {
            let witness = QueueWitness()
            let player = QueuePlayerNode(format: QueueStage.mono, fill: witness.fill)
            let more = QueueStage.buffer([Float](repeating: 0.5, count: 100_000))
            (source, buffer) = (witness, more)
            try graph.add(player)
            try graph.connect(player, to: io)
            try player.schedule(more)
            player.start()
            _ = renderer.render(frames: 9600)
            try graph.remove(player)
        }
        // It fades out over 10 ms.
        let fade = renderer.render(frames: 960)[0]
        #expect(fade[1] > 0.4 && fade[959] == 0)
        for _ in 0..<3 {
            graph.collect()
            _ = renderer.render(frames: 64)
        }
        graph.collect()
        #expect(poll { source == nil && buffer == nil })
    }

    /// A plan that is in use needs no buffer: node, thread and buffers may go.
    @Test func aPlanPlaysOnWithoutTheBuffers() throws {
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        weak var buffer: AudioBuffer?
        try graph.add(io)
        do {
            let player = QueuePlayerNode(format: QueueStage.mono, name: "freed-player")
            let more = QueueStage.buffer([Float](repeating: 0.5, count: 100_000))
            buffer = more
            try graph.add(player)
            try graph.connect(player, to: io)
            try player.schedule(more)
            player.start()
            try graph.prepare()
            try graph.start()
            _ = try OfflineRenderer(graph).render(frames: 64)
            // Without a fade, which would hold the player.
            graph.stop()
            try graph.remove(player)
        }
        #expect(poll { buffer == nil && !threadNames().contains("freed-player") })
        try graph.start()
        #expect(try OfflineRenderer(graph).render(frames: 500)[0].allSatisfy { $0 == 0 })
    }

    /// A player whose graph is gone goes on in the next one, whatever its rate, with the frame that
    /// would have been heard next.
    @Test(arguments: [48_000, 24_000], [false, true])
    func itGoesOnInAnotherGraph(rate: Int, isFilled: Bool) throws {
        let witness = QueueWitness()
        witness.end(at: 20_000)
        let format = StreamFormat(sampleRate: 24_000, channelCount: 1)
        let name = "q-\(rate)-\(isFilled)"
        let player = QueuePlayerNode(
            format: format, frames: 500, name: name, fill: isFilled ? witness.fill : nil)
        if !isFilled {
            let parts = [0..<100, 100..<180, 180..<15_000, 15_000..<20_000]
            for (part, frames) in parts.enumerated() {
                try player.schedule(
                    AudioBuffer([QueueStage.numbers(frames)], sampleRate: 24_000)
                ) { if $0 { witness.complete(part) } }
            }
        }
        player.start()
        var stage: UnitStage? = try UnitStage(player, sampleRate: rate)
        _ = try QueueStage.render(stage!, 500, period: 100)
        let next = player.position
        #expect(next == 500 * 24_000 / rate)
        for _ in 0..<3 {
            stage = nil
            stage = try UnitStage(player, sampleRate: 24_000)
            #expect(player.position == next && player.isRunning)
            #expect(poll { threadNames().count { $0 == name } == 1 })
        }
        let out = try QueueStage.render(stage!, 20_000, period: 256)
        let wanted = QueueStage.numbers(next..<20_000)
        #expect(firstDifference([Array(out[..<wanted.count])], [wanted]) == nil)
        #expect(player.position == 20_000 && player.isRunning == !isFilled)
        if !isFilled { #expect(poll { witness.completed == [0, 1, 2, 3] }) }
    }

    private func threadNames() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap {
            try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Everything at once, while another thread renders.
    @Test func allCallsMayComeWhileItPlays() throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2, layout: .int16),
            frames: 300, fill: witness.fill, listener: witness.listen)
        let stage = try UnitStage(player)
        let thread = RenderThread(stage.graph, period: 64)
        defer { thread.stop() }
        for round in 0..<60 {
            player.start(at: stage.graph.renderedFrames + round)
            thread.wait(frames: 640)
            player.seek(to: round) { witness.go(to: round) }
            let buffer = AudioBuffer(format: player.format, capacity: 50)
            buffer.frameCount = 50
            try player.schedule(buffer) { _ in witness.complete(round) }
            player.isPaused = round % 3 == 0
            player.volume = Volume(gain: Double(round % 4))
            thread.wait(frames: 64)
            if round % 5 == 0 { player.reset() }
            if round % 7 == 0 { player.flush() }
            player.stop(round % 2 == 0 ? .now : .whenPlayed)
            stage.graph.collect()
        }
        player.isPaused = false
        player.stop()
        #expect(poll { !player.isRunning && player.queuedCount == 0 })
        #expect(witness.completed == Array(0..<60))
    }

    /// A node that is freed calls what it still owes, in order.
    @Test(arguments: [false, true]) func aFreedNodeCallsItsCompletions(plays: Bool) throws {
        let witness = QueueWitness()
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        try graph.add(io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        do {
            let player = QueuePlayerNode(format: QueueStage.mono, listener: witness.listen)
            try graph.add(player)
            try graph.connect(player, to: io)
            for name in 1...5 {
                let steady = [Float](repeating: 0.5, count: name == 1 ? 100 : 10_000)
                try player.schedule(QueueStage.buffer(steady)) { wasPlayed in
                    witness.complete(wasPlayed ? name : -name)
                }
            }
            if plays {
                player.start()
                _ = renderer.render(frames: 960)
                #expect(poll { witness.running == [true] && witness.completed == [1] })
            }
            try graph.remove(player)
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

    /// A node that goes with its graph leaves its calls to its thread, which may be in one.
    @Test func aNodeThatGoesWithItsGraphCallsOnItsThread() throws {
        let (witness, gate) = (QueueWitness(), DispatchSemaphore(value: 0))
        do {
            let player = QueuePlayerNode(format: QueueStage.mono)
            let stage = try UnitStage(player)
            for name in 1...3 {
                try player.schedule(QueueStage.buffer([Float](repeating: 0.5, count: 64))) {
                    if $0 { gate.wait() }
                    witness.complete($0 ? name : -name)
                }
            }
            player.start()
            _ = try QueueStage.render(stage, 64, period: 64)
            #expect(poll { player.queuedCount == 2 })
        }
        #expect(witness.completed.isEmpty)
        gate.signal()
        #expect(poll { witness.completed == [1, -2, -3] })
    }

    /// A node that no graph has had has no thread, and calls them itself.
    @Test func aNodeWithoutAGraphCallsItsCompletions() throws {
        let witness = QueueWitness()
        do {
            let player = QueuePlayerNode(format: QueueStage.mono, listener: witness.listen)
            for name in 0..<3 {
                try player.schedule(QueueStage.buffer([1])) { if !$0 { witness.complete(name) } }
            }
        }
        #expect(witness.completed == [0, 1, 2] && witness.finished == [false, false, false])
    }
}
