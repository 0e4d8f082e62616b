import CRealtime
import Glibc

/// Something that happens once, and that threads can wait for.
package final class Signpost: Sendable {
    private let event: Int32

    /// Nil when the process has no descriptor left; errno says so.
    package init?() {
        event = crealtime_event_create()
        if event < 0 { return nil }
    }

    deinit {
        // Closing −1 would put another errno in the place of the one that tells why it failed.
        if event >= 0 { close(event) }
    }

    /// It has happened.
    package func set() { crealtime_event_signal(event) }

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

    /// Whether it has happened, after at most `milliseconds`; negative waits without end.
    package func wait(milliseconds: Int) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        // A signal ends a wait early.
        while true {
            let left = max(0, ((deadline - ContinuousClock.now) / .milliseconds(1)).rounded(.up))
            if crealtime_event_wait(event, milliseconds < 0 ? -1 : Int32(left)) {
                // For whoever asks next.
                set()
                return true
            }
            if milliseconds >= 0 && left == 0 { return false }
        }
    }
}
