import Synchronization

/// Hands the latest of a unit's designed values, a fixed number of floats, from the control thread
/// to the render thread: neither waits, and the reader never sees half of a value.
///
/// Three slots: the writer fills its own and exchanges it with the middle one; the reader exchanges
/// its own with the middle one when that has been filled since.
@safe struct Mailbox: ~Copyable {
    // Safety: which thread uses what.
    //   slot `back`, back    the writer's thread
    //   slot `front`, front  the reader's thread
    //   slot `middle`        nobody; ownership passes by the atomic exchange
    private let floats: UnsafeMutablePointer<Float>
    private let count: Int
    private let back: UnsafeMutablePointer<UInt8>
    private let front: UnsafeMutablePointer<UInt8>
    private let middle = Atomic<UInt8>(1)

    /// A mailbox for values of `count` floats; empty.
    init(count: Int) {
        self.count = count
        unsafe floats = .allocate(capacity: 3 * count)
        unsafe floats.initialize(repeating: 0, count: 3 * count)
        unsafe back = .allocate(capacity: 1)
        unsafe back.initialize(to: 0)
        unsafe front = .allocate(capacity: 1)
        unsafe front.initialize(to: 2)
    }

    deinit {
        unsafe floats.deallocate()
        unsafe back.deallocate()
        unsafe front.deallocate()
    }

    /// Posts a value, which replaces an earlier one that was not read yet. Control thread.
    func post(_ value: some Collection<Float>) {
        precondition(value.count == count)
        for (i, float) in value.enumerated() {
            unsafe floats[Int(back.pointee) * count + i] = float
        }
        let filled = unsafe back.pointee | 0x80
        unsafe back.pointee = middle.exchange(filled, ordering: .acquiringAndReleasing) & 0x7f
    }

    /// The newest value, which stays valid until the next call, or nil when none was posted since
    /// the last call.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func take() -> UnsafePointer<Float>? {
        guard middle.load(ordering: .relaxed) & 0x80 != 0 else { return nil }
        let mine = unsafe front.pointee
        unsafe front.pointee = middle.exchange(mine, ordering: .acquiringAndReleasing) & 0x7f
        return unsafe UnsafePointer(floats + Int(front.pointee) * count)
    }
}
