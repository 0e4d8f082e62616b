import Glibc

/// Waits for something that wakes nobody, as what a realtime thread does, which may make no system
/// call, or what another library does: the waiting thread looks again and again.
package enum PolledWait {
    /// Waits until `condition` holds; false when it did not within `milliseconds`. Looks again
    /// after `interval`, in milliseconds.
    package static func run(
        milliseconds: Int, interval: Double = 1, until condition: () -> Bool
    ) -> Bool {
        let end = monotonicSeconds() + Double(milliseconds) / 1000
        while !condition() {
            guard monotonicSeconds() < end else { return false }
            usleep(UInt32(interval * 1000))
        }
        return true
    }
}
