import Synchronization

/// Changes of parameters that wait for their frame: the control thread hands them over, the render
/// thread carries each out at its frame, and cuts its slices there.
@safe struct Schedule: ~Copyable {
    // Safety: which thread uses what.
    //   the ring beyond `written`, written   the control thread
    //   read, applied, table, count          the render thread

    /// One value for one mailbox.
    @safe struct Change: BitwiseCopyable {
        /// The frame, counted as `RenderContext.frames`.
        let frame: Int
        let mailbox: UnsafeMutablePointer<Mailbox>
        let value: SIMD8<Float>
        let ramp: Int32
    }

    /// How many changes may wait at a time.
    static var capacity: Int { @_noLocks get { 256 } }

    private let ring: UnsafeMutablePointer<Change>
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    private let applied = Atomic<Int>(0)
    /// What was handed over and is not due yet, the earliest first.
    private let table: UnsafeMutablePointer<Change>
    private var count = 0

    init() {
        unsafe ring = .allocate(capacity: Self.capacity)
        unsafe table = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe ring.deallocate()
        unsafe table.deallocate()
    }

    /// How many more changes fit. Control thread.
    var space: Int {
        Self.capacity - written.load(ordering: .relaxed) + applied.load(ordering: .acquiring)
    }

    /// Hands a change over; `space` says whether it fits. It takes the place of another for the
    /// same mailbox at the same frame. Control thread.
    func add(_ change: Change) {
        let number = written.load(ordering: .relaxed)
        unsafe ring[number % Self.capacity] = change
        written.store(number + 1, ordering: .releasing)
    }

    /// Carries out what is due at `frame`; returns how many frames there are until the next change.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks mutating func apply(at frame: Int) -> Int {
        takeNew()
        guard count > 0 else { return .max }
        var due = 0
        while due < count, unsafe table[due].frame <= frame {
            let change = unsafe table[due]
            unsafe change.mailbox.pointee.put(change.value, ramp: change.ramp)
            due += 1
        }
        if due > 0 {
            count -= due
            for i in 0..<count { unsafe table[i] = table[i + due] }
            finish(due)
        }
        return count > 0 ? unsafe table[0].frame - frame : .max
    }

    @_noLocks private mutating func takeNew() {
        var number = read.load(ordering: .relaxed)
        let end = written.load(ordering: .acquiring)
        guard number < end else { return }
        while number < end {
            unsafe insert(ring[number % Self.capacity])
            number += 1
        }
        read.store(number, ordering: .relaxed)
    }

    @_noLocks private mutating func insert(_ change: Change) {
        for i in 0..<count
        where unsafe table[i].frame == change.frame && table[i].mailbox == change.mailbox {
            unsafe table[i] = change
            return finish(1)
        }
        var place = count
        while place > 0, unsafe table[place - 1].frame > change.frame {
            unsafe table[place] = table[place - 1]
            place -= 1
        }
        unsafe table[place] = change
        count += 1
    }

    @_noLocks private func finish(_ changes: Int) {
        applied.store(applied.load(ordering: .relaxed) + changes, ordering: .releasing)
    }
}
