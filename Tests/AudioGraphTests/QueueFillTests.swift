import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Buffers that a closure fills as they are played.
@Suite struct QueueFillTests {
    @Test(arguments: QueueStage.periods) func buffersAreFilledAsTheyArePlayed(period: Int) throws {
        let witness = QueueWitness()
        witness.end(at: 20_000)
        let player = QueuePlayerNode(
            format: QueueStage.mono, frames: 512, fill: witness.fill, listener: witness.listen)
        let stage = try UnitStage(player)
        #expect(player.prime() == 3)
        player.start()
        let out = try QueueStage.render(stage, 20_500, period: period)
        #expect(Array(out[..<20_000]) == QueueStage.numbers(0..<20_000))
        #expect(out[20_000...].allSatisfy { $0 == 0 })
        #expect(!player.isRunning && player.underruns == 0)
        #expect(poll { witness.finished == [Bool](repeating: true, count: 40) })
    }

    /// Every seek is heard at the same frame, whatever the periods.
    @Test func aSeekRefills() throws {
        func render(_ period: Int) throws -> [Float] {
            let witness = QueueWitness()
            let player = QueuePlayerNode(format: QueueStage.mono, frames: 700, fill: witness.fill)
            let stage = try UnitStage(player)
            player.start()
            var out: [Float] = []
            for target in [90_000, 5000, 300_000] {
                out += try QueueStage.render(stage, 1500, period: period)
                player.seek(to: target) { witness.go(to: target) }
                #expect(player.position == target)
            }
            out += try QueueStage.render(stage, 1500, period: period)
            #expect(player.underruns == 0)
            return out
        }
        let whole = try render(1500)
        #expect(Array(whole[..<1500]) == QueueStage.numbers(0..<1500))
        for (start, target) in [(1500, 90_000), (3000, 5000), (4500, 300_000)] {
            #expect(
                Array(whole[start + 480..<start + 1500])
                    == QueueStage.numbers(target + 240..<target + 1260))
        }
        for period in QueueStage.periods {
            #expect(firstDifference([try render(period)], [whole]) == nil, "period \(period)")
        }
    }

    /// A driver that waits has the frames of the fade, too, however slow the source is.
    @Test func aSeekFadesOutWhatWasNotFilledYet() throws {
        let witness = QueueWitness()
        nonisolated(unsafe) var count = 0
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 700) { buffer in
            count += 1
            if count == 4 { usleep(200_000) }
            witness.fill(buffer)
        }
        let stage = try UnitStage(player)
        #expect(player.prime() == 3)
        player.start()
        // Three buffers have these frames, but not those of the fade.
        var out = try QueueStage.render(stage, 2000)
        player.seek(to: 9000) { witness.go(to: 9000) }
        out += try QueueStage.render(stage, 1000)
        #expect(Array(out[..<2000]) == QueueStage.numbers(0..<2000))
        #expect(out[2000..<2239].allSatisfy { $0 > 0 })
        #expect(Array(out[2480...]) == QueueStage.numbers(9240..<9760))
    }

    /// What is being filled for a place that is left is not heard.
    @Test func aSeekMayComeWhileItFills() throws {
        let witness = QueueWitness()
        nonisolated(unsafe) weak var node: QueuePlayerNode?
        nonisolated(unsafe) var hasSought = false
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 700) { buffer in
            witness.fill(buffer)
            guard !hasSought else { return }
            hasSought = true
            node?.seek(to: 5000) { witness.go(to: 5000) }
        }
        node = player
        let stage = try UnitStage(player)
        player.start()
        #expect(try QueueStage.render(stage, 2000) == QueueStage.numbers(5000..<7000))
    }

    /// Live, nobody waits for what a seek asks for, and the time until it comes is no underrun.
    @Test func aSeekIsNoUnderrun() throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(format: QueueStage.mono, frames: 700, fill: witness.fill)
        let stage = try UnitStage(player)
        #expect(player.prime() == 3)
        player.start()
        _ = try stage.render([0, 0])
        witness.gate.lock()
        player.seek(to: 9000) { witness.go(to: 9000) }
        let out = try stage.render([Float](repeating: 0, count: 1000))[0]
        #expect(out[240...].allSatisfy { $0 == 0 } && player.underruns == 0)
        witness.gate.unlock()
        #expect(player.position == 9000)
    }

    /// A source that is late: silence, and then the very next frame.
    @Test func whatComesLateIsHeardLate() throws {
        let witness = QueueWitness()
        let player = QueuePlayerNode(
            format: QueueStage.mono, buffers: 2, frames: 100, fill: witness.fill,
            listener: witness.listen)
        let stage = try UnitStage(player)
        #expect(player.prime() == 2)
        witness.gate.lock()
        player.start()
        let zeros = [Float](repeating: 0, count: 320)
        let out = try stage.render(zeros)[0]
        let wanted: [Float] = QueueStage.numbers(0..<200) + zeros[..<120]
        #expect(Array(out) == wanted)
        #expect(player.underruns == 1)
        witness.gate.unlock()
        #expect(poll { witness.finished.count == 2 && player.queuedCount == 2 })
        #expect(Array(try stage.render(zeros)[0][..<100]) == QueueStage.numbers(200..<300))
    }

    /// What is being filled when the player is to stop waits for the next start: the source has
    /// moved on.
    @Test(arguments: [false, true])
    func aStopWhenPlayedKeepsWhatIsFilled(endsFirst: Bool) throws {
        let witness = QueueWitness()
        let (filling, next) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        witness.end(at: 1000)
        let player = QueuePlayerNode(
            format: QueueStage.mono, buffers: 1, frames: 100,
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
        #expect(Array(try stage.render(zeros, period: 100)[0]) == QueueStage.numbers(0..<100))
        filling.wait()
        player.stop(.whenPlayed)
        if endsFirst { #expect(try stage.render(zeros)[0].allSatisfy { $0 == 0 }) }
        next.signal()
        #expect(poll { player.queuedCount == 1 })
        #expect(try stage.render(zeros)[0].allSatisfy { $0 == 0 })
        #expect(!player.isRunning && player.position == 100)
        for _ in 0..<10 { next.signal() }
        player.start()
        let out = try QueueStage.render(stage, 1000, period: 100)
        #expect(out == QueueStage.numbers(100..<1000) + zeros)
        #expect(!player.isRunning && player.position == 1000)
        #expect(poll { witness.finished == [Bool](repeating: true, count: 10) })
    }

    /// What is being filled while all is dropped is dropped, too, even where the player has been
    /// started again.
    @Test func aStopDropsWhatIsFilled() throws {
        let witness = QueueWitness()
        let (filling, next) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let player = QueuePlayerNode(format: QueueStage.mono, buffers: 1, frames: 100) { buffer in
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
        #expect(try QueueStage.render(stage, 300, period: 100) == QueueStage.numbers(100..<400))
    }
}
