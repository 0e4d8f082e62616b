import Synchronization

/// Hands the latest value of a parameter to the render thread: a fixed number of floats, as the
/// kernel uses them, and how long the way to them takes. Neither side waits, and the reader never
/// sees half of a value.
///
/// Three slots: the writer fills its own and exchanges it with the middle one; the reader exchanges
/// its own with the middle one when that has been filled since.
@safe struct Mailbox: ~Copyable {
    // Safety: which thread uses what.
    //   slot `back`, back            the control thread
    //   slot `front`, front, isPut   the render thread
    //   slot `middle`                nobody; ownership passes by the atomic exchange

    /// A value as the reader gets it, valid until the next call of `take`.
    @unsafe struct Value {
        let floats: UnsafePointer<Float>
        /// The length of the ramp to it, in frames.
        let ramp: Int32

        @_noLocks init(floats: UnsafePointer<Float>, ramp: Int32) {
            unsafe self.floats = floats
            unsafe self.ramp = ramp
        }
    }

    let count: Int
    /// Three times `count` floats and a ramp.
    private let slots: UnsafeMutablePointer<Float>
    private let back: UnsafeMutablePointer<UInt8>
    private let front: UnsafeMutablePointer<UInt8>
    private let isPut: UnsafeMutablePointer<Bool>
    private let middle = Atomic<UInt8>(1)

    /// An empty mailbox for values of `count` floats.
    init(count: Int) {
        self.count = count
        unsafe slots = .allocate(capacity: 3 * (count + 1))
        unsafe slots.initialize(repeating: 0, count: 3 * (count + 1))
        unsafe back = .allocate(capacity: 1)
        unsafe back.initialize(to: 0)
        unsafe front = .allocate(capacity: 1)
        unsafe front.initialize(to: 2)
        unsafe isPut = .allocate(capacity: 1)
        unsafe isPut.initialize(to: false)
    }

    deinit {
        unsafe slots.deallocate()
        unsafe back.deallocate()
        unsafe front.deallocate()
        unsafe isPut.deallocate()
    }

    /// Posts a value, which replaces an earlier one that was not read yet. Control thread.
    func post(_ value: [Float], ramp: Int32) {
        precondition(value.count == count)
        let slot = unsafe slots + Int(back.pointee) * (count + 1)
        for i in 0..<count { unsafe slot[i] = value[i] }
        // By its bits: not every length is a Float.
        unsafe slot[count] = Float(bitPattern: UInt32(bitPattern: ramp))
        let filled = unsafe back.pointee | 0x80
        unsafe back.pointee = middle.exchange(filled, ordering: .acquiringAndReleasing) & 0x7f
    }

    /// Puts a value in front of the reader, on the reader's own thread, in place of what was posted
    /// before. What is posted after it counts as newer.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func put(_ value: SIMD8<Float>, ramp: Int32) {
        takePosted()
        let slot = unsafe slots + Int(front.pointee) * (count + 1)
        for i in 0..<count { unsafe slot[i] = value[i] }
        unsafe slot[count] = Float(bitPattern: UInt32(bitPattern: ramp))
        unsafe isPut.pointee = true
    }

    /// The newest value, or nil when there is none since the last call.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func take() -> Value? {
        let isPosted = takePosted()
        guard unsafe isPosted || isPut.pointee else { return nil }
        unsafe isPut.pointee = false
        let slot = unsafe slots + Int(front.pointee) * (count + 1)
        return unsafe Value(floats: slot, ramp: Int32(bitPattern: slot[count].bitPattern))
    }

    /// Makes the value that was posted the reader's own; false when there is none.
    @discardableResult @_noLocks private func takePosted() -> Bool {
        guard middle.load(ordering: .relaxed) & 0x80 != 0 else { return false }
        let mine = unsafe front.pointee
        unsafe front.pointee = middle.exchange(mine, ordering: .acquiringAndReleasing) & 0x7f
        return true
    }
}
