import CJack
import Glibc

/// Something that happens once, and that threads can wait for (eventfd(2)).
final class Signpost: Sendable {
    private let descriptor: Int32

    /// Nil when the process has no descriptor left; errno says so.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// It has happened. Async-signal-safe.
    func set() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Whether it has happened, after at most `milliseconds`; negative waits without end.
    func wait(milliseconds: Int) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            let timeout = milliseconds < 0 ? -1 : Int32(max(0, left.rounded(.up)))
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&entry, 1, timeout)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
