import Glibc
import Synchronization

/// Brings the user's terminal back from anywhere, a signal handler included: its mode, and the
/// cursor below what is drawn in place.
///
/// Made of async-signal-safe calls alone, none of which waits for a terminal that takes no output.
enum TerminalRescue {
    /// Keeps the present mode of the terminal for `restore`, unless a mode is kept already.
    /// Main thread.
    static func save(_ terminal: Int32) -> termios? {
        if Kept.shared.keys.load(ordering: .acquiring) != terminal {
            guard tcgetattr(terminal, Kept.shared.mode) == 0 else { return nil }
            Kept.shared.keys.store(terminal, ordering: .releasing)
        }
        return Kept.shared.mode.pointee
    }

    /// Creates what a signal handler needs: to be called before the first handler is installed.
    static func prepare() { _ = Kept.shared }

    /// Notes that lines are drawn in place on the terminal `descriptor`. Thread: its writer.
    static func areaStands(on descriptor: Int32) { Kept.shared.standsOn(descriptor) }

    /// Notes that the cursor is below all that was drawn.
    static func areaIsGone() { Kept.shared.areaStands.store(false, ordering: .releasing) }

    /// Gives the terminal back as it was found. Any thread, any signal handler.
    static func restore() {
        let kept = Kept.shared
        let keys = kept.keys.exchange(-1, ordering: .acquiringAndReleasing)
        // Not from the background, where setting the mode would stop this process.
        if keys >= 0, tcgetpgrp(keys) == getpgrp() { tcsetattr(keys, TCSANOW, kept.mode) }
        if kept.areaStands.exchange(false, ordering: .acquiringAndReleasing) {
            write(kept.second.load(ordering: .acquiring), kept.farewell, Kept.farewellSize)
        }
    }

    /// Safety: `mode` is written by the main thread before `keys` names its terminal, and never
    /// after that until `restore` has taken `keys` away. All else is atomic.
    private final class Kept: @unchecked Sendable {
        static let shared = Kept()

        static let farewellSize = 5

        let mode: UnsafeMutablePointer<termios>
        /// Goes below the first line, where the cursor is, and clears what is there: the shell's
        /// prompt comes there. Kept as bytes, since making them of a string may allocate.
        let farewell: UnsafeMutablePointer<UInt8>
        /// The terminal that keys are read from in a mode of our own; −1: there is none.
        let keys = Atomic<Int32>(-1)
        let areaStands = Atomic<Bool>(false)
        /// A second description of the terminal that is drawn on, which never blocks: the first is
        /// shared with the shell, which expects it to.
        let second = Atomic<Int32>(-1)

        init() {
            mode = .allocate(capacity: 1)
            mode.initialize(to: termios())
            farewell = .allocate(capacity: Self.farewellSize)
            farewell.initialize(from: Array("\r\n\u{1B}[J".utf8), count: Self.farewellSize)
        }

        func standsOn(_ descriptor: Int32) {
            if second.load(ordering: .relaxed) < 0 {
                second.store(
                    open(
                        "/proc/self/fd/\(descriptor)",
                        O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC),
                    ordering: .releasing)
            }
            areaStands.store(true, ordering: .releasing)
        }
    }
}
