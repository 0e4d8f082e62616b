import Glibc
import SystemSupport

/// Waits for something that JACK's process thread does. That thread may not make the system call
/// that would wake the waiting thread, so the waiting thread looks once a millisecond.
enum PolledWait {
    /// Waits until `condition` holds; false when it did not within `milliseconds`.
    static func run(milliseconds: Int, until condition: () -> Bool) -> Bool {
        let end = monotonicSeconds() + Double(milliseconds) / 1000
        while !condition() {
            guard monotonicSeconds() < end else { return false }
            usleep(1000)
        }
        return true
    }
}
