import Synchronization
import SystemSupport

/// The half of a queue player off the render thread: owns the buffers that are queued, has them
/// filled, puts their frames into the ring of its graph, and tells when they were played.
@safe final class QueueFeed: @unchecked Sendable {
    // Safety: the ring says which thread uses what; what else changes lies in `line`. The user's
    // closures are called on the feed's thread alone, without the lock.
    //   link              the control thread
    //   isClosed          any thread

    private let line: Guarded<QueueLine>
    /// Of the buffers, and how long those are that are filled.
    private let (format, frames): (StreamFormat, Int)
    private let listener: (@Sendable (QueueEvent) -> Void)?
    /// Held by the thread, so that there is one at a time.
    private let serving = Guarded(())
    private let isClosed = Atomic<Bool>(false)
    private(set) var link: QueueLink?

    init(
        format: StreamFormat, count: Int, frames: Int, fill: QueueLine.Fill?,
        listener: (@Sendable (QueueEvent) -> Void)?
    ) {
        self.listener = listener
        (self.format, self.frames) = (format, frames)
        line = Guarded(QueueLine(ahead: count, frames: frames, fill: fill))
    }

    // MARK: Control thread

    /// Makes ring, converter and thread for a graph of that rate, in Hz; ends those before.
    func begin(at rate: Int, name: String) throws(GraphError) -> QueueLink {
        end()
        let converter = try Converter.core(
            from: format.sampleRate, to: rate, channelCount: format.channelCount, node: name)
        let (drops, position) = line.withLock { ($0.drops, $0.position) }
        let ring = QueueRing(
            channelCount: format.channelCount, sampleRate: rate, drops: drops,
            position: position)
        guard ring.supply.hasEvents else { throw .noDescriptors(node: name) }
        let link = QueueLink(
            ring, converter, step: Double(format.sampleRate) / Double(rate))
        line.withLock { $0.attach(link) }
        guard DetachedThread.start(name, { [self] in serve(link) }) == 0 else {
            line.withLock { $0.detach() }
            throw .noThread(node: name)
        }
        self.link = link
        return link
    }

    /// Ends the thread; does not wait for it. What was not heard waits for another graph.
    func end() {
        guard let link else { return }
        line.withLock { $0.detach() }
        unsafe link.ring.pointee.isServed.store(false, ordering: .releasing)
        wake()
        self.link = nil
    }

    /// Says of what is queued that it was not played, and ends the thread, which says it where there is
    /// one.
    func close() {
        isClosed.store(true, ordering: .releasing)
        guard let link else { return giveUp() }
        unsafe link.ring.pointee.isServed.store(false, ordering: .releasing)
        wake()
    }

    var isRunning: Bool {
        guard let link else { return line.withLock { $0.startFrame != nil } }
        return unsafe link.ring.pointee.runs.load(ordering: .relaxed)
            > link.ring.pointee.finishedRun.load(ordering: .acquiring)
    }

    /// The number of the frame that is heard next.
    var position: Int { link?.position ?? line.withLock { $0.position } }

    /// What is queued and was not given back.
    var queuedCount: Int { line.withLock { $0.count } }

    /// How often there was no frame although more were to come.
    var underruns: Int {
        unsafe link?.ring.pointee.underruns.load(ordering: .relaxed) ?? 0
    }

    /// Changes what is queued, and wakes the thread.
    func change<Result: Sendable>(_ change: (inout QueueLine) -> Result) -> Result {
        defer { wake() }
        return line.withLock { line in
            unsafe link?.ring.pointee.filledAt.store(-1, ordering: .relaxed)
            return change(&line)
        }
    }

    /// Fills what can be filled, and waits for that up to `milliseconds`; returns what is queued.
    func prime(milliseconds: Int) -> Int {
        change { $0.prime() }
        _ = PolledWait.run(milliseconds: milliseconds) { line.withLock { $0.isPrimed } }
        return queuedCount
    }

    private func wake() { unsafe link?.ring.pointee.supply.demand?.set() }

    // MARK: The feed's thread

    /// The thread of one graph.
    private func serve(_ link: QueueLink) {
        serving.withLock { _ in
            let ring = unsafe link.ring
            var (told, isTold) = (0, false)
            while unsafe ring.pointee.isServed.load(ordering: .acquiring) {
                unsafe ring.pointee.supply.demand?.clear()
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
                while line.withLock({ $0.advance() }) {}
                line.withLock { $0.noteFilled() }
                if isTold, !isRunning {
                    listener?(.running(false))
                    isTold = false
                }
                unsafe ring.pointee.supply.signal()
                // The render thread can wake nobody. Where it has nothing, only calls of the user's
                // change anything.
                let isIdle = !isRunning && queuedCount == 0
                _ = unsafe ring.pointee.supply.demand?.wait(milliseconds: isIdle ? -1 : 5)
            }
            giveBack()
            if isClosed.load(ordering: .acquiring) { giveUp() }
            if isTold { listener?(.running(false)) }
            // A driver need not wait any more.
            unsafe ring.pointee.supply.signal()
        }
    }

    /// Gives back what the render thread has let go, in its order.
    private func giveBack() {
        while let (entry, wasPlayed) = line.withLock({ $0.takeBack() }) {
            tell(entry, wasPlayed: wasPlayed)
        }
    }

    /// Says of all that is queued that it was not played.
    private func giveUp() {
        for entry in line.withLock({ $0.giveUp() }) {
            tell(entry, wasPlayed: entry.outcome ?? false)
        }
    }

    private func tell(_ entry: QueueLine.Entry, wasPlayed: Bool) {
        entry.part.completion?(wasPlayed)
        if let buffer = entry.part.buffer { listener?(.finished(buffer, wasPlayed: wasPlayed)) }
    }

    private func move() {
        while let seek = line.withLock({ $0.seek }) {
            seek.move()
            line.withLock { $0.didSeek(seek.number) }
        }
    }

    /// Has buffers filled, and what is there put into the ring meanwhile.
    private func refill() {
        while let filling = line.withLock({ $0.nextToFill() }) {
            let buffer = filling.buffer ?? AudioBuffer(format: format, capacity: frames)
            buffer.frameCount = 0
            filling.fill(buffer)
            line.withLock { $0.take(buffer, of: filling) }
        }
    }
}
