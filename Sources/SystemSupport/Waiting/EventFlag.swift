import CRealtime
import Glibc

/// A flag that threads set and wait for, with a descriptor for poll(2) (eventfd(2)).
///
/// Any thread. Setting it is a system call: not realtime-safe.
package final class EventFlag: Sendable {
    /// Readable while the flag is set.
    package let descriptor: Int32

    /// Nil when the process has no descriptor left; errno then says why.
    package init?() {
        descriptor = crealtime_event_create()
        if descriptor < 0 { return nil }
    }

    deinit {
        // Closing −1 would overwrite the errno that says why there is no descriptor.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sets the flag.
    package func set() { crealtime_event_signal(descriptor) }

    /// Clears the flag. Returns whether it was set.
    @discardableResult
    package func clear() -> Bool { crealtime_event_clear(descriptor) }

    /// Waits until the flag is set, at most `milliseconds`; a negative time has no limit. Returns
    /// whether the flag is set.
    package func wait(milliseconds: Int) -> Bool {
        let seconds = milliseconds < 0 ? .infinity : Double(milliseconds) / 1000
        guard waitForInput(descriptor, until: monotonicSeconds() + seconds) else { return false }
        // The read orders memory, which poll(2) does not promise: what another thread wrote before
        // `set` is seen here. The flag is set again for the next caller.
        if clear() { set() }
        return true
    }

    /// As `wait(milliseconds:)`, but ends when `isCancelled`, asked 20 times a second, is true.
    package func wait(milliseconds: Int, unless isCancelled: () -> Bool) -> Bool {
        var left = milliseconds
        while left != 0, !isCancelled() {
            let pause = left < 0 ? 50 : min(left, 50)
            if wait(milliseconds: pause) { return true }
            if left > 0 { left -= pause }
        }
        return wait(milliseconds: 0)
    }
}
