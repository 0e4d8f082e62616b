import Glibc
import Synchronization
import SystemSupport

/// The half of a queue player off the render thread: owns the buffers that are queued, has them
/// filled, and tells when they were played.
@safe final class QueueFeed: @unchecked Sendable {
    // Safety: the ring says which thread uses what; what else changes lies in `state`. The user's
    // closures are called on the feed's thread alone, without the lock.

    typealias Fill = @Sendable (AudioBuffer) -> Void
    typealias Completion = @Sendable (_ wasPlayed: Bool) -> Void

    private let state: Guarded<State>
    private let shared: Shared<QueueRing>
    private let fill: Fill?
    private let listener: (@Sendable (QueueEvent) -> Void)?
    private let (demandFlag, arrivalFlag) = (EventFlag(), EventFlag())
    private let isStopped = Atomic<Bool>(false)
    /// For the control thread.
    private var hasThread = false

    init(
        format: StreamFormat, count: Int, frames: Int, fill: Fill?,
        listener: (@Sendable (QueueEvent) -> Void)?
    ) {
        self.fill = fill
        self.listener = listener
        shared = Shared(
            QueueRing(
                ahead: fill == nil ? 0 : count, demand: demandFlag?.descriptor ?? -1,
                arrival: arrivalFlag?.descriptor ?? -1))
        var state = State()
        // Twice as many as are filled ahead: after a seek new ones are there at once, while the old
        // ones fade out.
        if fill != nil {
            state.free = (0..<2 * count).map { _ in AudioBuffer(format: format, capacity: frames) }
        }
        self.state = Guarded(state)
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

    /// Buffers that are queued and not given back.
    var queuedCount: Int { state.withLock { $0.entries.count } }

    // MARK: Control thread

    /// Queues a part of a buffer; false when no more fit.
    func schedule(
        _ buffer: AudioBuffer, frames: Range<Int>, isOurs: Bool = false, _ completion: Completion?
    ) -> Bool {
        defer { wake() }
        return state.withLock { state in
            push(buffer, frames, isOurs, completion, &state)
        }
    }

    private func push(
        _ buffer: AudioBuffer, _ frames: Range<Int>, _ isOurs: Bool, _ completion: Completion?,
        _ state: inout State
    ) -> Bool {
        // The render thread gives a slot up before `giveBack` has read what became of its buffer: a
        // slot is free when its entry is gone.
        let filling = state.isFilling ? 1 : 0
        guard state.entries.count + filling < QueueRing.capacity else { return false }
        let number = unsafe ring.pointee.written.load(ordering: .relaxed)
        let isTaken = unsafe ring.pointee.push(
            QueueRing.Slot(
                memory: buffer.memory, first: frames.lowerBound, count: frames.count,
                position: state.position, beginsAnew: state.beginsAnew))
        guard isTaken else { return false }
        state.entries.append(
            Entry(number: number, buffer: buffer, completion: completion, isOurs: isOurs))
        state.position += frames.count
        state.beginsAnew = false
        return true
    }

    /// Has buffers filled from now on, and starts a run at a frame of the graph.
    func start(at frame: Int) {
        state.withLock { state in
            state.fills = true
            unsafe ring.pointee.endsAt.store(
                state.isAtEnd ? ring.pointee.written.load(ordering: .relaxed) : .max,
                ordering: .releasing)
            unsafe ring.pointee.startFrame.store(frame, ordering: .relaxed)
            unsafe ring.pointee.runs.add(1, ordering: .releasing)
        }
        wake()
    }

    /// Stops at once; what is queued is dropped.
    func stop() {
        state.withLock { state in
            state.fills = false
            dropAll(&state)
            unsafe ring.pointee.stoppedRun.store(
                ring.pointee.runs.load(ordering: .relaxed), ordering: .releasing)
        }
        wake()
    }

    /// Stops when what is queued has been played. What is being filled comes behind that end.
    func stopWhenPlayed() {
        state.withLock { state in
            state.fills = false
            endHere()
        }
        wake()
    }

    /// What is queued from now on does not continue what was queued before.
    func flush() { state.withLock { $0.beginsAnew = true } }

    /// Drops what is queued; frames are numbered from 0 again.
    func reset() {
        state.withLock { state in
            state.position = 0
            state.beginsAnew = true
            dropAll(&state)
        }
        wake()
    }

    /// Drops what is queued; `move`, on the feed's thread, makes the next filled buffer begin at
    /// `position`.
    func seek(to position: Int, _ move: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.seekCount += 1
            state.seek = (state.seekCount, position, move)
            state.position = position
            state.isAtEnd = false
            // First: a render thread that saw the drop but the old end would stop.
            unsafe ring.pointee.endsAt.store(.max, ordering: .releasing)
            dropAll(&state)
        }
        wake()
    }

    /// Fills what can be filled, and waits for that up to `milliseconds`; returns the buffers that
    /// are queued.
    func prime(milliseconds: Int) -> Int {
        state.withLock { $0.fills = true }
        wake()
        _ = PolledWait.run(milliseconds: milliseconds) {
            state.withLock { $0.seek == nil && ($0.isAtEnd || !wantsMore($0)) }
        }
        return queuedCount
    }

    /// Under the lock.
    private func dropAll(_ state: inout State) {
        unsafe ring.pointee.dropBefore.store(
            ring.pointee.written.load(ordering: .relaxed), ordering: .relaxed)
        unsafe ring.pointee.dropPosition.store(state.position, ordering: .relaxed)
        unsafe ring.pointee.drops.add(1, ordering: .releasing)
    }

    /// Under the lock.
    private func endHere() {
        unsafe ring.pointee.endsAt.store(
            ring.pointee.written.load(ordering: .relaxed), ordering: .releasing)
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
        let read = unsafe ring.pointee.read.load(ordering: .acquiring)
        while let entry = state.withLock({ $0.entries.first }), entry.number < read {
            let wasPlayed = unsafe ring.pointee.slot(entry.number).pointee.isPlayed
            state.withLock { state in
                state.entries.removeFirst()
                if entry.isOurs { state.free.append(entry.buffer) }
            }
            entry.completion?(wasPlayed)
            listener?(.finished(entry.buffer, wasPlayed: wasPlayed))
        }
    }

    /// Says of all that is queued that it was not played. A plan may still play it until it has
    /// faded out: the frames stay as long as the feed does.
    private func giveUp() {
        let rest = state.withLock { state in
            let rest = state.entries
            state.kept = rest.map(\.buffer)
            state.entries = []
            return rest
        }
        for entry in rest {
            entry.completion?(false)
            listener?(.finished(entry.buffer, wasPlayed: false))
        }
    }

    private func move() {
        while let seek = state.withLock({ $0.seek }) {
            seek.move()
            state.withLock { state in
                // Another one may have come meanwhile.
                if state.seek?.number == seek.number { state.seek = nil }
            }
        }
    }

    /// Whether another buffer is to be filled. Under the lock.
    private func wantsMore(_ state: borrowing State) -> Bool {
        guard state.fills, !state.isAtEnd, !state.free.isEmpty,
            state.entries.count < QueueRing.capacity
        else { return false }
        let written = unsafe ring.pointee.written.load(ordering: .relaxed)
        let first = unsafe max(
            ring.pointee.read.load(ordering: .acquiring),
            ring.pointee.dropBefore.load(ordering: .relaxed))
        return unsafe written - first < ring.pointee.ahead
    }

    private func refill() {
        guard let fill else { return }
        while true {
            let next = state.withLock { state -> (buffer: AudioBuffer, drops: Int)? in
                guard state.seek == nil, wantsMore(state), let buffer = state.free.popLast() else {
                    return nil
                }
                state.isFilling = true
                return unsafe (buffer, ring.pointee.drops.load(ordering: .relaxed))
            }
            guard let (buffer, drops) = next else { break }
            buffer.frameCount = 0
            fill(buffer)
            state.withLock { state in
                state.isFilling = false
                if unsafe drops != ring.pointee.drops.load(ordering: .relaxed) {
                    // All that was queued before was dropped meanwhile.
                    state.free.append(buffer)
                } else if buffer.frameCount == 0 {
                    state.free.append(buffer)
                    state.isAtEnd = true
                    // A stop may have set an end already.
                    if unsafe ring.pointee.endsAt.load(ordering: .relaxed) == .max { endHere() }
                } else if !push(buffer, 0..<buffer.frameCount, true, nil, &state) {
                    state.free.append(buffer)
                }
            }
        }
    }
}
