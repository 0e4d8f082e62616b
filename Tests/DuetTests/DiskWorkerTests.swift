import Foundation
import SystemSupport
import Testing

@testable import DuetApp

/// What is done on disks in the order of its line, and never waited for.
@Suite struct DiskWorkerTests {
    /// A busy machine may take long for work that does not hang.
    private let disk = DiskWorker(patience: 60)
    /// For work that hangs.
    private let hurried = DiskWorker(patience: 0.05)

    /// What was told, in its order.
    private final class Told { var lines: [String] = [] }
    private let told = Told()

    private func run(
        _ line: DiskWorker.Line, _ name: String, on disk: DiskWorker? = nil,
        while gate: DispatchSemaphore? = nil
    ) {
        (disk ?? self.disk).run(
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

    private func turns(of disk: DiskWorker, until condition: () -> Bool) throws {
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
        try turns(of: disk) { told.lines.count == 2 }
        #expect(told.lines == ["c", "d"])
        gate.signal()
        try turns(of: disk) { told.lines.count == 4 }
        #expect(told.lines == ["c", "d", "a", "b"])
        #expect(disk.descriptors.isEmpty && disk.secondsLeft == .infinity)
    }

    /// What takes long is told once, and its result all the same.
    @Test func whatIsLateIsTold() throws {
        let gate = DispatchSemaphore(value: 0)
        run(.session, "a", on: hurried, while: gate)
        try turns(of: hurried) { !told.lines.isEmpty }
        #expect(told.lines == ["late a"] && hurried.isLate(.session) && !hurried.isLate(.songs))
        gate.signal()
        try turns(of: hurried) { told.lines.count == 2 }
        #expect(told.lines == ["late a", "a"] && !hurried.isLate(.session))
    }

    /// The end waits for all work, and for what its results lead to; what hangs is given up.
    @Test func theEndIsBounded() throws {
        let gate = DispatchSemaphore(value: 0)
        run(.takes, "a", on: hurried, while: gate)
        hurried.run(on: .presets, { gate.wait() }) { [told] result throws(DuetError) in
            if case .failure(.unanswered) = result { told.lines.append("gone") }
        }
        try hurried.finish()
        #expect(told.lines == ["late a", "gone"] && hurried.descriptors.isEmpty)
        for _ in 0..<2 { gate.signal() }
        disk.run(on: .songs, {}, then: { [self] _ throws(DuetError) in run(.songs, "b") })
        try disk.finish()
        #expect(told.lines.last == "b" && disk.descriptors.isEmpty)
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
