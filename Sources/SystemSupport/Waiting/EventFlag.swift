import CRealtime
import Glibc

/// A flag that threads set and wait for, with a descriptor for poll(2) (eventfd(2)).
///
/// Any thread. Setting it is a system call: not realtime-safe.
package final class EventFlag: Sendable {
    /// Readable while the flag is set.
    package let descriptor: Int32

    /// Nil when the process has no descriptor left; errno says so.
    package init?() {
        descriptor = crealtime_event_create()
        if descriptor < 0 { return nil }
    }

    deinit {
        // Closing −1 would put another errno in the place of the one that tells why it failed.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sets the flag.
    package func set() { crealtime_event_signal(descriptor) }

    /// Takes the flag back; whether it was set.
    @discardableResult
    package func clear() -> Bool { crealtime_event_clear(descriptor) }

    /// Whether the flag is set, after at most `milliseconds`; a negative time has no end.
    package func wait(milliseconds: Int) -> Bool {
        let seconds = milliseconds < 0 ? .infinity : Double(milliseconds) / 1000
        guard waitForInput(descriptor, until: monotonicSeconds() + seconds) else { return false }
        // Read, which orders memory where poll(2) promises nothing: what was written before `set`
        // is seen here. Set again for whoever asks next.
        if clear() { set() }
        return true
    }

    /// As `wait(milliseconds:)`, and over when `isCancelled`, which is asked 20 times a second.
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
