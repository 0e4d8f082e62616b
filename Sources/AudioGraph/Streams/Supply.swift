import Synchronization
import SystemSupport

/// Lets a driver that has time (offline, freewheel) wait for a thread that supplies frames, and
/// that thread know of it.
@safe struct Supply: ~Copyable {
    /// Set while a driver waits; others may set it to wake the thread. Nil when the process had no
    /// descriptor left.
    let demand = EventFlag()
    /// Wakes the driver.
    private let arrival = EventFlag()
    /// Whether a driver waits now; the thread that supplies clears it.
    private let isDemanded = Atomic<Bool>(false)
    /// Whether a driver has waited, and nothing was supplied since.
    private let isOverdue = Atomic<Bool>(false)

    /// How long a driver waits.
    struct Limit {
        /// A time of `monotonicSeconds`.
        let end: Double
        /// Whether who was waited for in vain is passed over until it supplies something.
        var passesOver = false
    }

    /// Whether the flags exist by which a waiting driver and the thread wake each other.
    var hasEvents: Bool { demand != nil && arrival != nil }

    /// Wakes a driver that waits. The supplying thread: Control thread.
    func signal() {
        isOverdue.store(false, ordering: .relaxed)
        if isDemanded.exchange(false, ordering: .acquiringAndReleasing) { arrival?.set() }
    }

    /// Waits until `isEnough`, or until the limit; false when that came first. For the driver's thread.
    /// Blocks.
    ///
    /// - Parameter now: the clock of the limit, in seconds.
    func wait(
        until limit: Limit, now: () -> Double = monotonicSeconds, _ isEnough: () -> Bool
    ) -> Bool {
        let isPassedOver = limit.passesOver && isOverdue.load(ordering: .relaxed)
        let end = isPassedOver ? 0 : limit.end
        if now() < end { isOverdue.store(true, ordering: .relaxed) }
        while true {
            isDemanded.store(true, ordering: .sequentiallyConsistent)
            if isEnough() {
                isDemanded.store(false, ordering: .relaxed)
                isOverdue.store(false, ordering: .relaxed)
                return true
            }
            demand?.set()
            let left = end - now()
            guard left > 0 else { return false }
            // The loop looks again, whatever ended the wait.
            waitForInput(
                [arrival?.descriptor ?? -1],
                milliseconds: Int((min(left, 60) * 1000).rounded(.up)))
            arrival?.clear()
        }
    }
}
