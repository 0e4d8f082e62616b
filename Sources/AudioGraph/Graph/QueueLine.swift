import Synchronization

/// All that a queue player is to play, in its order: what is in the ring, and what waits behind a
/// source whose frames are not all in the ring yet. One thread at a time uses it: the one that holds
/// the feed's lock.
@safe struct QueueLine {
    typealias Fill = @Sendable (AudioBuffer) -> Void
    typealias Completion = @Sendable (_ wasPlayed: Bool) -> Void

    /// What a slot of the ring holds.
    struct Entry {
        enum Kind {
            /// A buffer of the user's, or the end of a source.
            case scheduled
            /// A buffer of those that are filled over and over.
            case filled
            /// Never came into the ring: was dropped with all before `number`.
            case dropped
        }

        /// Of the slot.
        let number: Int
        let kind: Kind
        /// Nil: the end of a source, without frames.
        let buffer: AudioBuffer?
        let completion: Completion?
        /// What was to fill, so that it is freed where its completion is called.
        var source: Fill?
    }

    /// What waits for its turn.
    private enum Item {
        case buffer(AudioBuffer, Range<Int>, Completion?)
        case source(Fill, Completion?)
        /// What comes next does not continue what was before.
        case flush
        /// The player stops.
        case end

        var isEnd: Bool { if case .end = self { true } else { false } }
        var isSource: Bool { if case .source = self { true } else { false } }
    }

    /// A buffer that is being filled.
    struct Filling {
        /// Nil: a new one is to be made.
        let buffer: AudioBuffer?
        let fill: Fill
        /// Whether `fill` is a source that was scheduled, and not the player's own closure.
        let isScheduled: Bool
        /// How often all had been dropped when it began.
        let drops: Int
    }

    /// The most buffers and sources of the user's.
    static let limit = 256

    private let ring: UnsafePointer<QueueRing>
    /// How many buffers are filled ahead, and how long each is.
    private let ahead: Int
    private let frames: Int
    /// The player's own closure: fills when nothing else is scheduled.
    private let fill: Fill?
    /// Stands where no frames are.
    private let nothing: AudioBuffer

    /// What the ring holds, the oldest first.
    private var entries: [Entry] = []
    private var waiting: [Item] = []
    /// How many of the user's were not taken back. The render thread gives a slot up before its entry
    /// is taken back: below the limit, a slot of the ring is free.
    private var scheduled = 0
    /// What the ring still holds when the node is gone.
    private var kept: [AudioBuffer] = []
    /// Buffers to be filled. More are made where these do not suffice: for short sources, and after
    /// a drop, while the old ones fade out.
    private var free: [AudioBuffer] = []
    /// The number of the next frame that is queued.
    private var position = 0
    /// Whether the next buffer begins another stream.
    private var beginsAnew = false
    /// Whether the player's own closure is to fill.
    private var fills = false
    /// Whether it had no more.
    private var isAtEnd = false
    /// Whether the node is gone.
    private var isClosed = false
    /// The place to move to, and what the user does for that.
    private(set) var seek: (number: Int, move: @Sendable () -> Void)?
    private var seekCount = 0

    init(
        ring: UnsafePointer<QueueRing>, format: StreamFormat, ahead: Int, frames: Int, fill: Fill?
    ) {
        unsafe self.ring = ring
        self.ahead = ahead
        self.frames = frames
        self.fill = fill
        nothing = AudioBuffer(format: format, capacity: 0)
        noteSources()
    }

    /// What is queued and was not taken back.
    var count: Int {
        entries.count
            + waiting.count { item in
                switch item {
                case .buffer, .source: true
                case .flush, .end: false
                }
            }
    }

    // MARK: What the user asks for

    /// Queues a part of a buffer; false when no more fit.
    mutating func schedule(
        _ buffer: AudioBuffer, _ frames: Range<Int>, _ completion: Completion?
    ) -> Bool {
        guard scheduled < Self.limit else { return false }
        scheduled += 1
        if waiting.isEmpty {
            push(buffer, frames, completion)
        } else {
            waiting.append(.buffer(buffer, frames, completion))
        }
        return true
    }

    /// Queues all that a closure fills; false when no more fits.
    mutating func schedule(filledBy fill: @escaping Fill, _ completion: Completion?) -> Bool {
        guard scheduled < Self.limit else { return false }
        scheduled += 1
        waiting.append(.source(fill, completion))
        noteSources()
        return true
    }

    mutating func flush() {
        if waiting.isEmpty {
            beginsAnew = true
        } else if case .flush? = waiting.last {
        } else {
            waiting.append(.flush)
        }
    }

    mutating func start(at frame: Int) {
        fills = true
        waiting.removeAll(where: \.isEnd)
        let endsHere = isAtEnd && waiting.isEmpty
        if isAtEnd, !endsHere { waiting.append(.end) }
        unsafe ring.pointee.endsAt.store(
            endsHere ? ring.pointee.written.load(ordering: .relaxed) : .max, ordering: .releasing)
        unsafe ring.pointee.startFrame.store(frame, ordering: .relaxed)
        unsafe ring.pointee.runs.add(1, ordering: .releasing)
    }

    /// Has the player's own closure fill before the start.
    mutating func prime() { fills = true }

    mutating func stop() {
        fills = false
        dropAll()
        unsafe ring.pointee.stoppedRun.store(
            ring.pointee.runs.load(ordering: .relaxed), ordering: .releasing)
    }

    /// What is being filled comes behind that end.
    mutating func stopWhenPlayed() {
        fills = false
        endBehindAll()
    }

    mutating func reset() {
        position = 0
        beginsAnew = true
        dropAll()
    }

    /// Returns an earlier seek's `move` that was not carried out, to be freed without the lock.
    mutating func seek(
        to position: Int, _ move: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        let replaced = seek?.move
        seekCount += 1
        seek = (seekCount, move)
        self.position = position
        isAtEnd = false
        waiting.removeAll(where: \.isEnd)
        // First: a render thread that saw the drop but the old end would stop.
        unsafe ring.pointee.endsAt.store(.max, ordering: .releasing)
        dropAll()
        return replaced
    }

    /// A seek was carried out. Another one may have come meanwhile.
    mutating func didSeek(_ number: Int) { if seek?.number == number { seek = nil } }

    /// Whether nothing more is to be filled now.
    var isPrimed: Bool { seek == nil && (source == nil || !wantsMore) }

    // MARK: The feed's thread

    /// A buffer to be filled next, and by what; nil when none is.
    mutating func nextToFill() -> Filling? {
        guard seek == nil, let source, wantsMore else {
            noteFilled()
            return nil
        }
        return unsafe Filling(
            buffer: free.popLast(), fill: source, isScheduled: !waiting.isEmpty,
            drops: ring.pointee.drops.load(ordering: .relaxed))
    }

    mutating func take(_ buffer: AudioBuffer, of filling: Filling) {
        if unsafe filling.drops != ring.pointee.drops.load(ordering: .relaxed) {
            // All that was queued before was dropped meanwhile.
            free.append(buffer)
        } else if buffer.frameCount > 0 {
            push(buffer, 0..<buffer.frameCount, nil, .filled)
        } else {
            free.append(buffer)
            if filling.isScheduled { endSource() } else { endFilling() }
        }
    }

    /// Takes the oldest entry out, if the render thread has let it go, and says whether it was
    /// played.
    mutating func takeBack() -> (entry: Entry, wasPlayed: Bool)? {
        let read = unsafe ring.pointee.read.load(ordering: .acquiring)
        guard let entry = entries.first, isReleased(entry, at: read) else { return nil }
        entries.removeFirst()
        if entry.kind != .filled {
            scheduled -= 1
        } else if let buffer = entry.buffer {
            free.append(buffer)
        }
        if entry.kind == .dropped { return (entry, false) }
        return unsafe (entry, ring.pointee.slot(entry.number).pointee.isPlayed)
    }

    /// Takes out all that is queued. A plan may still play it until it has faded out: the frames
    /// stay.
    mutating func giveUp() -> [Entry] {
        isClosed = true
        dropWaiting()
        let rest = entries
        kept = rest.compactMap(\.buffer)
        entries = []
        return rest
    }

    // MARK: In order

    /// What fills the next buffer.
    private var source: Fill? {
        if case .source(let fill, _)? = waiting.first { return fill }
        return fills && !isAtEnd ? fill : nil
    }

    /// Whether too little is filled ahead.
    private var wantsMore: Bool {
        let first = unsafe max(
            ring.pointee.read.load(ordering: .acquiring),
            ring.pointee.dropBefore.load(ordering: .relaxed))
        var (count, ahead) = (0, 0)
        for entry in entries where entry.kind == .filled {
            count += 1
            if entry.number >= first { ahead += entry.buffer?.frameCount ?? 0 }
        }
        return ahead <= (self.ahead - 1) * frames && count < QueueRing.capacity - Self.limit
    }

    private mutating func push(
        _ buffer: AudioBuffer?, _ frames: Range<Int>, _ completion: Completion?,
        _ kind: Entry.Kind = .scheduled
    ) {
        let number = unsafe ring.pointee.written.load(ordering: .relaxed)
        let isTaken = unsafe ring.pointee.push(
            QueueRing.Slot(
                memory: (buffer ?? nothing).memory, first: frames.lowerBound, count: frames.count,
                position: position, beginsAnew: beginsAnew))
        precondition(isTaken, "the ring holds all that may be queued")
        entries.append(
            Entry(number: number, kind: kind, buffer: buffer, completion: completion))
        position += frames.count
        beginsAnew = false
    }

    /// Puts what has waited into the ring; of a source, its end.
    private mutating func advance(_ item: Item) {
        switch item {
        case .buffer(let buffer, let frames, let completion): push(buffer, frames, completion)
        case .source(_, let completion): push(nil, 0..<0, completion)
        case .flush: beginsAnew = true
        case .end: if unsafe ring.pointee.endsAt.load(ordering: .relaxed) == .max { endHere() }
        }
    }

    /// The source whose turn it was has no more: what waits behind it follows, up to the next one.
    private mutating func endSource() {
        repeat { advance(waiting.removeFirst()) } while waiting.first?.isSource == false
        noteSources()
    }

    /// The player's own closure has no more.
    private mutating func endFilling() {
        isAtEnd = true
        // A stop may have set an end already.
        if unsafe ring.pointee.endsAt.load(ordering: .relaxed) == .max { endBehindAll() }
    }

    private mutating func endBehindAll() {
        if waiting.isEmpty { endHere() } else { waiting.append(.end) }
    }

    private func endHere() {
        unsafe ring.pointee.endsAt.store(
            ring.pointee.written.load(ordering: .relaxed), ordering: .releasing)
    }

    /// What waits does not come into the ring any more; it is given back when the ring has let go of
    /// all before it.
    private mutating func dropWaiting() {
        let number = unsafe ring.pointee.written.load(ordering: .relaxed)
        for item in waiting {
            switch item {
            case .buffer(let buffer, _, let completion):
                entries.append(
                    Entry(number: number, kind: .dropped, buffer: buffer, completion: completion))
            case .source(let fill, let completion):
                entries.append(
                    Entry(
                        number: number, kind: .dropped, buffer: nil, completion: completion,
                        source: fill))
            case .flush, .end: break
            }
        }
        waiting = []
        noteSources()
    }

    private mutating func dropAll() {
        let ends = waiting.contains(where: \.isEnd)
        dropWaiting()
        if ends { endHere() }
        unsafe ring.pointee.dropBefore.store(
            ring.pointee.written.load(ordering: .relaxed), ordering: .relaxed)
        unsafe ring.pointee.dropPosition.store(position, ordering: .relaxed)
        unsafe ring.pointee.drops.add(1, ordering: .releasing)
    }

    /// Whether the render thread, which stands before buffer `read`, has let it go.
    private func isReleased(_ entry: Entry, at read: Int) -> Bool {
        entry.kind == .dropped ? entry.number <= read : entry.number < read
    }

    /// Tells a driver that waits that nothing more is filled before it renders.
    private func noteFilled() {
        let read = unsafe ring.pointee.read.load(ordering: .acquiring)
        guard seek == nil, entries.first.map({ isReleased($0, at: read) }) != true else { return }
        unsafe ring.pointee.filledAt.store(read, ordering: .releasing)
    }

    /// Tells the render thread whether somebody is to fill.
    private func noteSources() {
        unsafe ring.pointee.isFilled.store(
            !isClosed && (fill != nil || !waiting.isEmpty), ordering: .releasing)
    }
}
