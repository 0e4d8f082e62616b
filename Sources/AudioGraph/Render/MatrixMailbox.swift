import Synchronization

/// Hands the latest pan matrix from the control thread to the render thread: neither waits, and
/// the reader never sees half a matrix.
///
/// Three slots: the writer fills its own and exchanges it with the middle one; the reader exchanges
/// its own with the middle one when that has been filled since.
@safe struct MatrixMailbox: ~Copyable {
    // Safety: which thread uses what.
    //   slots[back], back    the writer's thread
    //   slots[front], front  the reader's thread
    //   slots[middle]        nobody; ownership passes by the atomic exchange
    private let slots: UnsafeMutablePointer<PanMatrix>
    private let back: UnsafeMutablePointer<UInt8>
    private let front: UnsafeMutablePointer<UInt8>
    private let middle = Atomic<UInt8>(1)

    init(_ value: PanMatrix) {
        unsafe slots = .allocate(capacity: 3)
        unsafe slots.initialize(repeating: value, count: 3)
        unsafe back = .allocate(capacity: 1)
        unsafe back.initialize(to: 0)
        unsafe front = .allocate(capacity: 1)
        unsafe front.initialize(to: 2)
    }

    deinit {
        unsafe slots.deallocate()
        unsafe back.deallocate()
        unsafe front.deallocate()
    }

    /// Posts a value, which replaces an earlier one that was not read yet. Control thread.
    func post(_ value: PanMatrix) {
        unsafe slots[Int(back.pointee)] = value
        let filled = unsafe back.pointee | 0x80
        unsafe back.pointee = middle.exchange(filled, ordering: .acquiringAndReleasing) & 0x7f
    }

    /// The newest value, or nil when none was posted since the last call.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func take() -> PanMatrix? {
        guard middle.load(ordering: .relaxed) & 0x80 != 0 else { return nil }
        let mine = unsafe front.pointee
        unsafe front.pointee = middle.exchange(mine, ordering: .acquiringAndReleasing) & 0x7f
        return unsafe slots[Int(front.pointee)]
    }
}
