import Synchronization

/// By how much a unit reduces the gain now, as the render thread tells the control thread.
struct ReductionReading: ~Copyable {
    /// In factors of 2, 0 or more.
    private let reduction = Atomic<Float>(0)

    /// Render thread. Realtime-safe.
    @_noLocks func publish(_ value: Double) {
        reduction.store(Float(value), ordering: .relaxed)
    }

    /// In decibels, −120…0. Control thread.
    var decibels: Double {
        max(-120, -Double(reduction.load(ordering: .relaxed)) * BinaryLogarithm.decibels)
    }
}
