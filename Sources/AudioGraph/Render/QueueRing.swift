import Synchronization

/// The buffers that a queue player hands to the render thread, and all that the two sides share.
///
/// The frames stay where they are: a slot says where. Buffers, runs and frames are numbered from the
/// beginning and never wrap.
@safe struct QueueRing: ~Copyable {
    // Safety: which thread writes what (all threads may read the atomics).
    //   slots beyond `written`, written, drops, dropBefore,
    //   dropPosition, endsAt, startFrame, runs,
    //   stoppedRun, isFilled, filledAt          the feed, one thread at a time (under its lock)
    //   isPlayed of the slots before `written`, read,
    //   dropped, finishedRun, position,
    //   underruns                               the render thread

    /// One buffer, or a part of it.
    @safe struct Slot: BitwiseCopyable {
        let memory: FrameMemory
        /// The part that is played.
        let first: Int
        let count: Int
        /// The number of its first frame, for the player's position.
        let position: Int
        /// Whether it does not continue the buffer before: the converter's filter runs empty first.
        let beginsAnew: Bool
        /// Whether it was played to its end, and not dropped.
        var isPlayed = false
    }

    /// The most buffers in the ring: those of the user's, and twice those that are filled ahead.
    static var capacity: Int { @_noLocks get { 512 } }

    private let slots: UnsafeMutablePointer<Slot>
    let written = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    /// How often buffers were to be dropped: the last time, those of numbers below `dropBefore`; the
    /// number of the frame that is heard next is `dropPosition` then.
    let drops = Atomic<Int>(0)
    let dropBefore = Atomic<Int>(0)
    let dropPosition = Atomic<Int>(0)
    /// How often that was done.
    let dropped = Atomic<Int>(0)
    /// The player stops by itself before the buffer of this number.
    let endsAt = Atomic<Int>(.max)
    /// How often the player was started, and the graph's frame at which the last run begins.
    let runs = Atomic<Int>(0)
    let startFrame = Atomic<Int>(0)
    /// The runs up to this one were stopped, and those up to that one are over.
    let stoppedRun = Atomic<Int>(0)
    let finishedRun = Atomic<Int>(0)
    /// The number of the frame that is heard next.
    let position = Atomic<Int>(0)
    let underruns = Atomic<Int>(0)
    /// By which a driver waits for the thread that fills.
    let supply: Supply
    /// Whether there is a closure that fills.
    let isFilled = Atomic<Bool>(false)
    /// Where the render thread stood, by `read`, when all was filled that could be; else −1.
    let filledAt = Atomic<Int>(-1)

    init(demand: Int32, arrival: Int32) {
        supply = Supply(demand: demand, arrival: arrival)
        unsafe slots = .allocate(capacity: Self.capacity)
    }

    deinit { unsafe slots.deallocate() }

    @_noLocks func slot(_ number: Int) -> UnsafeMutablePointer<Slot> {
        unsafe slots + number % Self.capacity
    }

    /// Puts a buffer into the ring; false when it is full. The feed: Control thread.
    func push(_ slot: Slot) -> Bool {
        let number = written.load(ordering: .relaxed)
        guard number - read.load(ordering: .acquiring) < Self.capacity else { return false }
        unsafe self.slot(number).initialize(to: slot)
        written.store(number + 1, ordering: .releasing)
        return true
    }

    /// Whether a driver need not wait for `frames` frames of the queue, when the render thread is at
    /// frame `offset` of buffer `number`.
    @_noLocks func canGive(_ frames: Int, from number: Int, offset: Int) -> Bool {
        let runs = runs.load(ordering: .acquiring)
        guard isFilled.load(ordering: .acquiring), runs > finishedRun.load(ordering: .relaxed),
            runs > stoppedRun.load(ordering: .relaxed)
        else { return true }
        let end = endsAt.load(ordering: .acquiring)
        let written = written.load(ordering: .acquiring)
        if end <= written { return true }
        let drop = dropBefore.load(ordering: .relaxed)
        var available = number >= drop ? -offset : 0
        let first = max(number, drop)
        for number in first..<max(first, written) { available += unsafe slot(number).pointee.count }
        // Where all is filled that can be, only rendering brings buffers back.
        return available >= frames || filledAt.load(ordering: .acquiring) == number
    }
}
