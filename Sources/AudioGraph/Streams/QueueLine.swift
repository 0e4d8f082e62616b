import Synchronization

/// All that a queue player is to play, in its order: what waits, and what is in the ring. One thread at
/// a time uses it: the one that holds the feed's lock.
///
/// Without a ring all waits; a graph's ring takes what fits, converted to the graph's rate.
@safe struct QueueLine {
    typealias Fill = @Sendable (AudioBuffer) -> Void
    typealias Completion = @Sendable (_ wasPlayed: Bool) -> Void

    /// Some frames of a buffer.
    struct Part {
        /// Nil: the end of a source, without frames.
        let buffer: AudioBuffer?
        /// Those that have not come into the ring, and how many before them have.
        var frames: Range<Int>
        var pushed = 0
        var completion: Completion?
        /// Whether the buffer is one of those that are filled over and over.
        var isFilled = false
    }

    /// What is in the ring, whole, or was dropped; to be given back.
    struct Entry {
        let part: Part
        /// The ring's frame behind it.
        var end: Int
        /// How often all had been dropped when it came into the ring.
        let drops: Int
        /// What was to fill, so that it is freed where its completion is called.
        var source: Fill?
        /// Whether it was played; nil while that is not decided.
        var outcome: Bool?
    }

    /// What waits for its turn.
    private enum Item {
        case part(Part)
        case source(Fill, Completion?)
        /// What comes next does not continue what was before.
        case flush
        /// The player stops.
        case end

        var part: Part? { if case .part(let part) = self { part } else { nil } }
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

    /// The most buffers and sources of the user's, and the most buffers that are filled.
    static let limit = 256

    /// How many buffers are filled ahead, and how long each is.
    private let ahead: Int
    private let frames: Int
    /// The player's own closure: fills when nothing else is scheduled.
    private let fill: Fill?

    private var link: QueueLink?
    /// What the ring holds, the oldest first.
    private var entries: [Entry] = []
    private var waiting: [Item] = []
    /// How many of the user's were not taken back.
    private var scheduled = 0
    /// Buffers to be filled. More are made where these do not suffice: for short sources, and after
    /// a drop, while the old ones fade out.
    private var free: [AudioBuffer] = []
    /// How often all was dropped.
    private(set) var drops = 0
    /// Whether the player's own closure is to fill, and whether it had no more.
    private var (fills, isAtEnd) = (false, false)
    /// Whether the node is gone.
    private var isClosed = false
    /// Without a ring: when the player is to start.
    private(set) var startFrame: Int?
    /// The place to move to, and what the user does for that.
    private(set) var seek: (number: Int, move: @Sendable () -> Void)?
    private var seekCount = 0

    /// The number of the frame that comes into the ring next.
    private(set) var position = 0

    init(ahead: Int, frames: Int, fill: Fill?) {
        self.ahead = ahead
        self.frames = frames
        self.fill = fill
    }

    /// What is queued and was not taken back.
    var count: Int { entries.count + waiting.count { $0.part != nil || $0.isSource } }

    // MARK: A graph's ring

    /// Goes on with an empty ring.
    mutating func attach(_ link: QueueLink) {
        self.link = link
        for i in entries.indices { entries[i].end = 0 }
        unsafe link.ring.pointee.begin(after: drops, at: position)
        link.begin(at: position)
        if let startFrame { start(at: startFrame) }
        startFrame = nil
    }

    /// Whether `link` has the ring that it fills.
    func has(_ link: QueueLink) -> Bool { self.link === link }

    /// Wakes the thread that fills the ring.
    func wake() { unsafe link?.ring.pointee.supply.demand?.set() }

    /// Leaves the ring: what was not heard waits again.
    mutating func detach() {
        guard let link else { return }
        let read = link.read
        startFrame = unsafe link.ring.pointee.isRunning ? 0 : nil
        for i in entries.indices where entries[i].outcome == nil {
            if entries[i].end <= read {
                entries[i].outcome = wasPlayed(entries[i])
            } else if entries[i].drops < drops {
                entries[i].outcome = false
            }
        }
        // The converter, too, holds some of them: the last ones. Those of a buffer that was given back,
        // less than 3 ms, are lost.
        var left = position - link.position
        if let part = waiting.first?.part { waiting[0] = .part(putBack(part, &left)) }
        for entry in entries.reversed() where entry.outcome == nil {
            waiting.insert(.part(putBack(entry.part, &left)), at: 0)
        }
        entries.removeAll { $0.outcome == nil }
        self.link = nil
    }

    /// A part with its last `left` frames that came into the ring.
    private mutating func putBack(_ part: Part, _ left: inout Int) -> Part {
        var part = part
        let count = max(0, min(left, part.pushed))
        part.frames = part.frames.lowerBound - count..<part.frames.upperBound
        part.pushed -= count
        (position, left) = (position - count, left - count)
        return part
    }

    // MARK: What the user asks for

    /// Queues a part of a buffer; false when no more fit.
    mutating func schedule(
        _ buffer: AudioBuffer, _ frames: Range<Int>, _ completion: Completion?
    ) -> Bool { schedule(.part(Part(buffer: buffer, frames: frames, completion: completion))) }

    /// Queues all that a closure fills; false when no more fits.
    mutating func schedule(filledBy fill: @escaping Fill, _ completion: Completion?) -> Bool {
        schedule(.source(fill, completion))
    }

    private mutating func schedule(_ item: Item) -> Bool {
        guard scheduled < Self.limit else { return false }
        scheduled += 1
        waiting.append(item)
        noteFed()
        return true
    }

    mutating func flush() {
        if case .flush? = waiting.last { return }
        waiting.append(.flush)
    }

    mutating func start(at frame: Int) {
        fills = true
        waiting.removeAll(where: \.isEnd)
        guard let link else {
            startFrame = frame
            return
        }
        let endsHere = isAtEnd && waiting.isEmpty
        if isAtEnd, !endsHere { waiting.append(.end) }
        unsafe link.ring.pointee.endsAt.store(endsHere ? link.index : .max, ordering: .releasing)
        unsafe link.ring.pointee.startFrame.store(frame, ordering: .relaxed)
        unsafe link.ring.pointee.runs.add(1, ordering: .releasing)
    }

    /// Has the player's own closure fill before the start.
    mutating func prime() { fills = true }

    mutating func stop() {
        fills = false
        startFrame = nil
        dropAll()
        guard let link else { return }
        unsafe link.ring.pointee.stoppedRun.store(
            link.ring.pointee.runs.load(ordering: .relaxed), ordering: .releasing)
    }

    /// What is being filled comes behind that end.
    mutating func stopWhenPlayed() {
        fills = false
        endBehindAll()
    }

    mutating func reset() { dropAll(thenAt: 0) }

    /// Returns an earlier seek's `move` that was not carried out, to be freed without the lock.
    mutating func seek(
        to position: Int, _ move: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        let replaced = seek?.move
        seekCount += 1
        seek = (seekCount, move)
        isAtEnd = false
        waiting.removeAll(where: \.isEnd)
        // First: a render thread that saw the drop but the old end would stop.
        unsafe link?.ring.pointee.endsAt.store(.max, ordering: .releasing)
        dropAll(thenAt: position)
        return replaced
    }

    /// A seek was carried out. Another one may have come meanwhile.
    mutating func didSeek(_ number: Int) { if seek?.number == number { seek = nil } }

    /// Whether nothing more is to be filled now, or to be put into the ring.
    var isPrimed: Bool {
        seek == nil && (source == nil || !wantsMore)
            && (space == 0 || waiting.first?.isSource != false)
    }

    // MARK: The feed's thread

    /// A buffer to be filled next, and by what; nil when none is.
    mutating func nextToFill() -> Filling? {
        guard seek == nil, let source, wantsMore else { return nil }
        return Filling(
            buffer: free.popLast(), fill: source,
            isScheduled: waiting.contains(where: \.isSource), drops: drops)
    }

    mutating func take(_ buffer: AudioBuffer, of filling: Filling) {
        let place = waiting.firstIndex(where: \.isSource)
        if filling.drops == drops, buffer.frameCount > 0 {
            let part = Part(buffer: buffer, frames: 0..<buffer.frameCount, isFilled: true)
            waiting.insert(.part(part), at: place ?? waiting.endIndex)
        } else {
            free.append(buffer)
            // Otherwise all that was queued before was dropped meanwhile.
            if filling.drops == drops { endFilling(filling.isScheduled ? place : nil) }
        }
        _ = advance()
    }

    /// The source in that place has no more; nil: the player's own closure.
    private mutating func endFilling(_ place: Int?) {
        if let place, case .source(_, let completion) = waiting[place] {
            waiting[place] = .part(Part(buffer: nil, frames: 0..<0, completion: completion))
        } else {
            isAtEnd = true
            // A stop may have set an end already.
            if link?.hasEnd != true, !waiting.contains(where: \.isEnd) { endBehindAll() }
        }
    }

    /// Puts what waits into the ring, some of it, in its order, as far as it fits; false when
    /// nothing more does.
    mutating func advance() -> Bool {
        guard let link else { return false }
        if unsafe holdsEnd && link.ring.pointee.isEndDue { waiting.append(.flush) }
        let before = (link.index, waiting.count)
        var left = min(space, 4096)
        loop: while let item = waiting.first {
            switch item {
            case .part(var part):
                if let memory = part.buffer?.memory {
                    let used = link.push(memory, part.frames, at: position, &left)
                    position += used
                    part.frames = part.frames.dropFirst(used)
                    part.pushed += used
                    waiting[0] = .part(part)
                    guard part.frames.isEmpty else { break loop }
                }
                entries.append(Entry(part: part, end: link.index, drops: drops))
            case .source: break loop
            case .flush: guard link.ringOut(at: position, &left) else { break loop }
            case .end:
                guard link.ringOut(at: position, &left) else { break loop }
                link.publish()
                if !link.hasEnd { link.endHere() }
            }
            waiting.removeFirst()
        }
        link.publish()
        noteFed()
        return (link.index, waiting.count) != before
    }

    /// Tells a driver that waits that nothing more comes before it renders.
    func noteFilled() {
        guard let link else { return }
        let read = link.read
        unsafe link.ring.pointee.holdsEnd.store(holdsEnd, ordering: .relaxed)
        guard isPrimed, entries.first.map({ $0.end <= read }) != true else { return }
        unsafe link.ring.pointee.filledAt.store(read, ordering: .releasing)
    }

    /// Takes the oldest entry out, if the render thread has let it go, and says whether it was
    /// played.
    mutating func takeBack() -> (entry: Entry, wasPlayed: Bool)? {
        guard let entry = entries.first,
            link.map({ entry.end <= $0.read }) ?? (entry.outcome != nil)
        else { return nil }
        entries.removeFirst()
        if !entry.part.isFilled {
            scheduled -= 1
        } else if let buffer = entry.part.buffer {
            free.append(buffer)
        }
        return (entry, entry.outcome ?? wasPlayed(entry))
    }

    /// Takes out all that is queued. What is in the ring is still heard until it has faded out.
    mutating func giveUp() -> [Entry] {
        isClosed = true
        dropWaiting()
        defer { entries = [] }
        return entries
    }

    // MARK: In order

    /// What fills the next buffer.
    private var source: Fill? {
        for case .source(let fill, _) in waiting { return fill }
        return fills && !isAtEnd ? fill : nil
    }

    /// Whether too little is filled ahead.
    private var wantsMore: Bool {
        let read = link?.read ?? 0
        var (count, ahead) = (0, 0)
        for entry in entries where entry.part.isFilled {
            count += 1
            if entry.drops == drops, entry.end > read {
                ahead += entry.part.buffer?.frameCount ?? 0
            }
        }
        for part in waiting.compactMap(\.part) where part.isFilled {
            count += 1
            ahead += part.buffer?.frameCount ?? 0
        }
        return ahead <= (self.ahead - 1) * frames && count < Self.limit
    }

    /// Whether the converter holds the end of what is queued, and nothing is to follow.
    private var holdsEnd: Bool { link?.holdsEnd == true && waiting.isEmpty && source == nil }

    /// How many frames may be put into the ring.
    private var space: Int { link?.space(after: drops) ?? 0 }

    private func wasPlayed(_ entry: Entry) -> Bool {
        unsafe link?.ring.pointee.wasPlayed(end: entry.end, after: entry.drops) ?? false
    }

    private mutating func endBehindAll() {
        if let link, waiting.isEmpty, !link.holdsEnd {
            link.endHere()
        } else {
            waiting.append(.end)
        }
    }

    /// What waits does not come into the ring any more; it is given back when the ring has let go of
    /// all before it.
    private mutating func dropWaiting() {
        var isCounted = true
        for item in waiting {
            var entry: Entry
            switch item {
            case .part(let part):
                if isCounted { position += part.frames.count }
                entry = Entry(part: part, end: link?.index ?? 0, drops: drops)
            case .source(let fill, let completion):
                isCounted = false
                let part = Part(buffer: nil, frames: 0..<0, completion: completion)
                entry = Entry(part: part, end: link?.index ?? 0, drops: drops, source: fill)
            case .flush, .end: continue
            }
            entry.outcome = false
            entries.append(entry)
        }
        waiting = []
        noteFed()
    }

    /// Drops all; the next frame that comes has the number `next`, or continues the count.
    private mutating func dropAll(thenAt next: Int? = nil) {
        let ends = waiting.contains(where: \.isEnd)
        dropWaiting()
        if let next { position = next }
        drops += 1
        guard let link else { return }
        if ends { link.endHere() }
        link.begin(at: position)
        unsafe link.ring.pointee.drop(before: link.index, position: position)
    }

    /// Tells the render thread whether more is to come.
    private func noteFed() {
        unsafe link?.ring.pointee.isFed.store(
            !isClosed && (fill != nil || !waiting.isEmpty), ordering: .releasing)
    }
}
