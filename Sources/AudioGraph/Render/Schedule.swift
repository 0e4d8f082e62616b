import Synchronization

/// Changes of parameters on their way to the render thread, where they wait for their frame.
@safe struct Schedule: ~Copyable {
    // Safety: which thread uses what.
    //   the ring beyond `written`, written   the control thread
    //   read, applied                        the render thread

    /// One value for one mailbox.
    @safe struct Change: BitwiseCopyable {
        /// The frame, counted as `RenderContext.frames`.
        let frame: Int
        let mailbox: UnsafeMutablePointer<Mailbox>
        let value: SIMD8<Float>
        /// Negative: the change that waits for the same mailbox and frame is given up.
        let ramp: Int32
    }

    /// How many changes the ring and the render thread hold.
    static var capacity: Int { @_noLocks get { 256 } }
    /// How many of them may be asked for: for each there is space to hand it over once more, when
    /// something that it depends on has changed.
    static var limit: Int { capacity / 2 }

    private let ring: UnsafeMutablePointer<Change>
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    private let applied = Atomic<Int>(0)

    init() { unsafe ring = .allocate(capacity: Self.capacity) }

    deinit { unsafe ring.deallocate() }

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

    /// The next change that was handed over, or nil.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func take() -> Change? {
        let number = read.load(ordering: .relaxed)
        guard number < written.load(ordering: .acquiring) else { return nil }
        let change = unsafe ring[number % Self.capacity]
        read.store(number + 1, ordering: .relaxed)
        return change
    }

    /// Notes that so many changes wait no more.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func finish(_ changes: Int) {
        applied.store(applied.load(ordering: .relaxed) + changes, ordering: .releasing)
    }
}
