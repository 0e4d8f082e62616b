import Foundation
import SystemSupport
import Testing

@testable import DuetApp

/// What is done on disks in the order of its line, and never waited for.
@Suite struct DiskWorkerTests {
    private let disk = DiskWorker()

    /// What was told, in its order.
    private final class Told { var lines: [String] = [] }
    private let told = Told()

    private func run(
        _ line: DiskWorker.Line, _ name: String, while gate: DispatchSemaphore? = nil
    ) {
        disk.run(
            on: line, { _ = gate?.wait() },
            late: { [told] () throws(DuetError) in told.lines.append("late \(name)") },
            then: { [told] result throws(DuetError) in
                if case .success = result {
                    told.lines.append(name)
                } else {
                    told.lines.append("gone \(name)")
                }
            })
    }

    private func turns(until condition: () -> Bool) throws {
        while !condition() {
            var waiter = PollSet(disk.descriptors)
            waiter.wait(seconds: min(10, disk.secondsLeft))
            try disk.update()
        }
    }

    /// A line that hangs holds up no other, and its own work is done in its order.
    @Test func linesAreInOrder() throws {
        let gate = DispatchSemaphore(value: 0)
        run(.songs, "a", while: gate)
        run(.songs, "b")
        run(.presets, "c")
        run(.presets, "d")
        try turns { told.lines.count == 2 }
        #expect(told.lines == ["c", "d"])
        gate.signal()
        try turns { told.lines.count == 4 }
        #expect(told.lines == ["c", "d", "a", "b"])
        #expect(disk.descriptors.isEmpty && disk.secondsLeft == .infinity)
    }

    /// What takes long is told once, and its result all the same.
    @Test func whatIsLateIsTold() throws {
        let gate = DispatchSemaphore(value: 0)
        run(.session, "a", while: gate)
        #expect(!disk.isLate(.session))
        try turns { !told.lines.isEmpty }
        #expect(told.lines == ["late a"] && disk.isLate(.session) && !disk.isLate(.songs))
        gate.signal()
        try turns { told.lines.count == 2 }
        #expect(told.lines == ["late a", "a"] && !disk.isLate(.session))
    }

    /// The end waits for all work, and for what its results lead to; what hangs is given up.
    @Test func theEndIsBounded() throws {
        let gate = DispatchSemaphore(value: 0)
        run(.takes, "a", while: gate)
        disk.run(on: .songs, {}, then: { [self] _ throws(DuetError) in run(.songs, "b") })
        try disk.finish()
        #expect(told.lines.contains("b") && told.lines.last == "late a")
        #expect(disk.descriptors.isEmpty)
        gate.signal()
    }

    /// What need not be done is not waited for at the end, and an error of who takes a result keeps nothing from
    /// the others.
    @Test func theEndIsForAll() throws {
        let gate = DispatchSemaphore(value: 0)
        disk.run(on: .notices, isAwaited: false, { gate.wait() }, then: { _ in })
        disk.run(on: .presets, {}, then: { _ throws(DuetError) in throw .interrupted })
        run(.songs, "a")
        #expect(throws: DuetError.self) { try disk.finish() }
        #expect(told.lines == ["a"])
        gate.signal()
    }
}
