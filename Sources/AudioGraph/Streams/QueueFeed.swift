import Synchronization
import SystemSupport

/// The half of a queue player off the render thread: owns the buffers that are queued, has them
/// filled, puts their frames into the ring of its graph, and tells when they were played.
@safe final class QueueFeed: @unchecked Sendable {
    // Safety: the ring says which thread uses what; what else changes lies in `line`. The user's
    // closures are called on the feed's thread alone, without the lock.
    //   link              the control thread

    private let line: Guarded<QueueLine>
    /// Of the buffers, and how long those are that are filled.
    private let (format, frames): (StreamFormat, Int)
    private let listener: (@Sendable (QueueEvent) -> Void)?
    /// How many threads have not ended, whether one of them serves, and whether the node is gone: who
    /// comes last gives up what is queued.
    private let life = Guarded((threads: 0, isServing: false, isClosed: false))
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

    /// Makes ring, converter and thread for a graph of that rate, in Hz. The thread waits for `begin`.
    func makeLink(at rate: Int, name: String) throws(GraphError) -> QueueLink {
        let converter = try Converter.core(
            from: format.sampleRate, to: rate, channelCount: format.channelCount, node: name)
        let ring = QueueRing(channelCount: format.channelCount, sampleRate: rate)
        guard ring.supply.hasEvents else { throw .noDescriptors(node: name) }
        let link = QueueLink(ring, converter, step: Double(format.sampleRate) / Double(rate))
        life.withLock { $0.threads += 1 }
        guard DetachedThread.start(name, { [self] in run(link) }) == 0 else {
            life.withLock { $0.threads -= 1 }
            throw .noThread(node: name)
        }
        return link
    }

    /// Fills the ring of `link` from here on.
    func begin(_ link: QueueLink) {
        line.withLock { $0.attach(link) }
        self.link = link
        wake()
    }

    /// Ends the thread of `link`; does not wait for it. What was not heard waits for another graph.
    func end(_ link: QueueLink) {
        if self.link === link {
            line.withLock { $0.detach() }
            self.link = nil
        }
        unsafe link.ring.pointee.isServed.store(false, ordering: .releasing)
        unsafe link.ring.pointee.supply.demand?.set()
    }

    /// The node is gone, and has left its graph: says of what is queued that it was not played. Where
    /// a thread has not ended yet, that one says it, so that no closure is called beside another.
    func close() {
        let isAlone = life.withLock { life in
            life.isClosed = true
            return life.threads == 0
        }
        if isAlone { giveUp() }
    }

    var isRunning: Bool {
        guard let link else { return line.withLock { $0.startFrame != nil } }
        return unsafe link.ring.pointee.runs.load(ordering: .relaxed)
            > link.ring.pointee.finishedRun.load(ordering: .acquiring)
    }

    /// The graph's frame after the last that was heard.
    var endFrame: Int { unsafe link?.ring.pointee.endFrame.load(ordering: .relaxed) ?? 0 }

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
    private func run(_ link: QueueLink) {
        let ring = unsafe link.ring
        while true {
            // Before the look at the flag, or the call that ends the thread might wake nobody.
            unsafe ring.pointee.supply.demand?.clear()
            guard unsafe ring.pointee.isServed.load(ordering: .acquiring) else { break }
            if line.withLock({ $0.has(link) }), mayServe() {
                serve(link)
                break
            }
            // For `begin`, or the end of the thread before.
            _ = unsafe ring.pointee.supply.demand?.wait(milliseconds: -1)
        }
        let isLast = life.withLock { life in
            life.threads -= 1
            return life.isClosed && life.threads == 0
        }
        if isLast { giveUp() }
    }

    /// Whether no other thread serves: one at a time, and none waits for another behind the next.
    private func mayServe() -> Bool {
        life.withLock { life in
            guard !life.isServing else { return false }
            life.isServing = true
            return true
        }
    }

    private func serve(_ link: QueueLink) {
        let ring = unsafe link.ring
        var (told, isTold) = (0, false)
        while true {
            // As in `run`.
            unsafe ring.pointee.supply.demand?.clear()
            guard unsafe ring.pointee.isServed.load(ordering: .acquiring) else { break }
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
        if life.withLock({ $0.isClosed }) { giveUp() }
        if isTold { listener?(.running(false)) }
        // A driver need not wait any more.
        unsafe ring.pointee.supply.signal()
        life.withLock { $0.isServing = false }
        line.withLock { $0.wake() }
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

/// What a queue player has in one graph: the ring, and the converter to the graph's rate.
@safe final class QueueLink: @unchecked Sendable {
    // Safety: the ring says which thread uses what; all else is used with the feed's lock alone.

    private let shared: Shared<QueueRing>
    private let converter: Shared<RateConverter>
    /// How many frames of the buffers a frame of the ring stands for.
    private let step: Double
    /// Half the length of the converter's filter, in frames of the buffers.
    private let halfLength: Int

    /// The ring's frame that is written next.
    private(set) var index = 0
    /// The first frame since the converter's beginning, by its place in the ring and its number; nil:
    /// it is at its beginning.
    private var first: (index: Int, position: Int)?
    /// How many frames of silence the converter needs until its filter is empty.
    private var tail = 0
    /// Whether what it gives lies behind the last frame that it has taken.
    private var isRinging = false

    init(_ ring: consuming QueueRing, _ converter: consuming RateConverter, step: Double) {
        halfLength = converter.halfLength
        shared = Shared(ring)
        self.converter = Shared(converter)
        self.step = step
    }

    var ring: UnsafePointer<QueueRing> { unsafe UnsafePointer(shared.pointer) }

    /// Where the render thread stands.
    var read: Int { unsafe ring.pointee.frames.read.load(ordering: .acquiring) }

    /// The number of the frame that is heard next.
    var position: Int {
        unsafe ring.pointee.drops.load(ordering: .relaxed)
            == ring.pointee.dropped.load(ordering: .acquiring)
            ? ring.pointee.position.load(ordering: .relaxed)
            : ring.pointee.dropPosition.load(ordering: .relaxed)
    }

    /// Whether the converter holds some frames back.
    var holdsEnd: Bool { tail > 0 }

    /// How many frames may be put into the ring, after so many drops.
    func space(after drops: Int) -> Int {
        let read = read
        let first = unsafe max(read, ring.pointee.before(drops))
        return unsafe max(
            0,
            min(ring.pointee.fill - (index - first), ring.pointee.frames.capacity - (index - read)))
    }

    /// Forgets what the converter holds; what comes next has the number `position`.
    func begin(at position: Int) {
        unsafe converter.pointer.pointee.reset()
        (first, tail, isRinging) = (nil, 0, false)
        number(position, step: 0)
    }

    /// Puts frames into the ring, at most `left`; returns how many it has taken. The first has the
    /// number `position`.
    func push(
        _ memory: FrameMemory, _ frames: Range<Int>, at position: Int, _ left: inout Int
    ) -> Int {
        guard !frames.isEmpty, left > 0, first != nil || number(position, step: step) else {
            return 0
        }
        first = first ?? (index, position)
        tail = 2 * halfLength
        var rest = frames
        while !rest.isEmpty, left > 0 {
            rest = rest.dropFirst(convert(memory, rest, left, &left))
        }
        return frames.count - rest.count
    }

    /// Lets the filter run empty behind the frame before `position`; false when there is no space for
    /// that.
    func ringOut(at position: Int, _ left: inout Int) -> Bool {
        guard tail > 0, let first else { return true }
        let end = first.index + Int((Double(position - first.position) / step).rounded(.up))
        while tail > 0 {
            if !isRinging, index >= end { isRinging = number(position, step: 0) }
            let limit = isRinging ? left : min(left, end - index)
            guard limit > 0 else { return false }
            tail -= convert(nil, 0..<tail, limit, &left)
        }
        unsafe converter.pointer.pointee.reset()
        (self.first, isRinging) = (nil, false)
        return true
    }

    /// Converts frames, or silence, to at most `limit` of the ring; returns how many it has taken.
    private func convert(
        _ memory: FrameMemory?, _ frames: Range<Int>, _ limit: Int, _ left: inout Int
    ) -> Int {
        let (place, inOnePiece) = unsafe ring.pointee.frames.piece(from: index)
        let done = unsafe converter.pointer.pointee.process(
            memory, from: frames.lowerBound, count: frames.count,
            to: ring.pointee.frames.memory, at: place, capacity: min(limit, inOnePiece))
        index += done.made
        left -= done.made
        return done.used
    }

    /// Says that the ring's next frame is the one at `position`; false when there is no place for that.
    @discardableResult private func number(_ position: Int, step: Double) -> Bool {
        unsafe ring.pointee.frames.add(FrameRing.Mark(index: index, frame: position, step: step))
    }

    /// Lets the render thread see what was written.
    func publish() { unsafe ring.pointee.frames.written.store(index, ordering: .releasing) }

    /// The player stops by itself before the frame that is written next.
    func endHere() { unsafe ring.pointee.endsAt.store(index, ordering: .releasing) }

    var hasEnd: Bool { unsafe ring.pointee.endsAt.load(ordering: .relaxed) != .max }
}
