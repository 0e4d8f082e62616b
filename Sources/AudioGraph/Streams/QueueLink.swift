import Synchronization

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
            min(
                ring.pointee.fill - (index - first),
                ring.pointee.frames.capacity - (index - read)))
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
        unsafe ring.pointee.frames.add(
            FrameRing.Mark(index: index, frame: position, step: step))
    }

    /// Lets the render thread see what was written.
    func publish() { unsafe ring.pointee.frames.written.store(index, ordering: .releasing) }

    /// The player stops by itself before the frame that is written next.
    func endHere() { unsafe ring.pointee.endsAt.store(index, ordering: .releasing) }

    var hasEnd: Bool { unsafe ring.pointee.endsAt.load(ordering: .relaxed) != .max }
}
