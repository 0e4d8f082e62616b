import Glibc
import Synchronization
import SystemSupport

/// The half of a queue player off the render thread: owns the buffers that are queued, has them
/// filled, and tells when they were played.
@safe final class QueueFeed: @unchecked Sendable {
    // Safety: the ring says which thread uses what; what else changes lies in `line`. The user's
    // closures are called on the feed's thread alone, without the lock.

    private let line: Guarded<QueueLine>
    /// Of the buffers that are filled.
    private let (format, frames): (StreamFormat, Int)
    private let shared: Shared<QueueRing>
    private let listener: (@Sendable (QueueEvent) -> Void)?
    private let (demandFlag, arrivalFlag) = (EventFlag(), EventFlag())
    private let isStopped = Atomic<Bool>(false)
    /// For the control thread.
    private var hasThread = false

    init(
        format: StreamFormat, count: Int, frames: Int, fill: QueueLine.Fill?,
        listener: (@Sendable (QueueEvent) -> Void)?
    ) {
        self.listener = listener
        (self.format, self.frames) = (format, frames)
        shared = Shared(
            QueueRing(
                demand: demandFlag?.descriptor ?? -1,
                arrival: arrivalFlag?.descriptor ?? -1))
        line = unsafe Guarded(
            QueueLine(
                ring: UnsafePointer(shared.pointer), format: format, ahead: count, frames: frames,
                fill: fill))
    }

    var ring: UnsafePointer<QueueRing> { unsafe UnsafePointer(shared.pointer) }

    /// Whether the eventfds exist by which a waiting driver and the thread wake each other.
    var hasEvents: Bool { demandFlag != nil && arrivalFlag != nil }

    var isRunning: Bool {
        unsafe ring.pointee.runs.load(ordering: .relaxed)
            > ring.pointee.finishedRun.load(ordering: .acquiring)
    }

    /// The number of the frame that is heard next.
    var position: Int {
        unsafe ring.pointee.drops.load(ordering: .relaxed)
            == ring.pointee.dropped.load(ordering: .acquiring)
            ? ring.pointee.position.load(ordering: .relaxed)
            : ring.pointee.dropPosition.load(ordering: .relaxed)
    }

    /// What is queued and was not given back.
    var queuedCount: Int { line.withLock { $0.count } }

    // MARK: Control thread

    /// Changes what is queued, and wakes the thread.
    func change<Result: Sendable>(_ change: (inout QueueLine) -> Result) -> Result {
        defer { wake() }
        return line.withLock { line in
            unsafe ring.pointee.filledAt.store(-1, ordering: .relaxed)
            return change(&line)
        }
    }

    /// Fills what can be filled, and waits for that up to `milliseconds`; returns what is queued.
    func prime(milliseconds: Int) -> Int {
        change { $0.prime() }
        _ = PolledWait.run(milliseconds: milliseconds) { line.withLock { $0.isPrimed } }
        return queuedCount
    }

    private func wake() { demandFlag?.set() }

    // MARK: The feed's thread

    /// Starts the thread; false when the system has none left.
    func startThread(_ name: String) -> Bool {
        let code = DetachedThread.start(name) { [self] in
            var (told, isTold) = (0, false)
            while !isStopped.load(ordering: .acquiring) {
                demandFlag?.clear()
                let runs = unsafe ring.pointee.runs.load(ordering: .relaxed)
                let isRunning = unsafe runs > ring.pointee.finishedRun.load(ordering: .acquiring)
                // Also of a run that is over already.
                if runs > told, !isTold {
                    listener?(.running(true))
                    isTold = true
                }
                told = runs
                giveBack()
                move()
                refill()
                if isTold, !isRunning {
                    listener?(.running(false))
                    isTold = false
                }
                unsafe ring.pointee.supply.signal()
                // The render thread can wake nobody. Where it has nothing, only calls of the user's
                // change anything.
                let isIdle = !isRunning && queuedCount == 0
                _ = demandFlag?.wait(milliseconds: isIdle ? -1 : 5)
            }
            giveBack()
            giveUp()
            if isTold { listener?(.running(false)) }
        }
        hasThread = code == 0
        return hasThread
    }

    /// Ends the thread, which first says of what is queued that it was not played; does not wait for
    /// it. Without a thread, that is said at once.
    func stopThread() {
        isStopped.store(true, ordering: .releasing)
        wake()
        if !hasThread { giveUp() }
    }

    /// Gives back what the render thread has let go, in its order.
    private func giveBack() {
        while let (entry, wasPlayed) = line.withLock({ $0.takeBack() }) {
            tell(entry, wasPlayed: wasPlayed)
        }
    }

    /// Says of all that is queued that it was not played.
    private func giveUp() {
        for entry in line.withLock({ $0.giveUp() }) { tell(entry, wasPlayed: false) }
        // A driver need not wait any more.
        unsafe ring.pointee.supply.signal()
    }

    private func tell(_ entry: QueueLine.Entry, wasPlayed: Bool) {
        entry.completion?(wasPlayed)
        if let buffer = entry.buffer { listener?(.finished(buffer, wasPlayed: wasPlayed)) }
    }

    private func move() {
        while let seek = line.withLock({ $0.seek }) {
            seek.move()
            line.withLock { $0.didSeek(seek.number) }
        }
    }

    private func refill() {
        while let filling = line.withLock({ $0.nextToFill() }) {
            let buffer = filling.buffer ?? AudioBuffer(format: format, capacity: frames)
            buffer.frameCount = 0
            filling.fill(buffer)
            line.withLock { $0.take(buffer, of: filling) }
        }
    }
}
