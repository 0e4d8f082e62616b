import Glibc
import Synchronization

/// Brings the user's terminal back from anywhere, a signal handler included: its mode, pastes as
/// they were, and the cursor below what is drawn in place.
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

    /// Makes the terminal that keys are read from mark what is pasted (xterm's bracketed paste mode),
    /// until `restore`. Main thread.
    static func markPastes() {
        let kept = Kept.shared
        kept.keysOutput.open(kept.keys.load(ordering: .acquiring))
        kept.keysOutput.write(kept.pastesMarked)
    }

    /// Creates what a signal handler needs: to be called before the first handler is installed.
    static func prepare() { _ = Kept.shared }

    /// Notes that lines are drawn in place on the terminal `descriptor`. Thread: its writer.
    static func areaStands(on descriptor: Int32) {
        Kept.shared.areaOutput.open(descriptor)
        Kept.shared.areaStands.store(true, ordering: .releasing)
    }

    /// Notes that the cursor is below all that was drawn.
    static func areaIsGone() { Kept.shared.areaStands.store(false, ordering: .releasing) }

    /// Gives the terminal back as it was found. Any thread, any signal handler.
    static func restore() {
        let kept = Kept.shared
        let keys = kept.keys.exchange(-1, ordering: .acquiringAndReleasing)
        // Not from the background, where setting the mode would stop this process.
        if keys >= 0, tcgetpgrp(keys) == getpgrp() {
            tcsetattr(keys, TCSANOW, kept.mode)
            // Nothing was opened where no pastes were marked.
            kept.keysOutput.write(kept.pastesPlain)
        }
        if kept.areaStands.exchange(false, ordering: .acquiringAndReleasing) {
            kept.areaOutput.write(kept.farewell)
        }
    }

    /// Safety: `mode` is written by the main thread before `keys` names its terminal, and never
    /// after that until `restore` has taken `keys` away. All else is atomic.
    private final class Kept: @unchecked Sendable {
        static let shared = Kept()

        let mode: UnsafeMutablePointer<termios>
        // Kept as bytes, since making them of a string may allocate.
        let pastesMarked = bytes("\u{1B}[?2004h")
        let pastesPlain = bytes("\u{1B}[?2004l")
        /// Goes below the first line, where the cursor is, and clears what is there: the shell's
        /// prompt comes there.
        let farewell = bytes("\r\n\u{1B}[J")
        /// The terminal that keys are read from in a mode of our own; −1: there is none.
        let keys = Atomic<Int32>(-1)
        let keysOutput = Opening()
        let areaStands = Atomic<Bool>(false)
        let areaOutput = Opening()

        init() {
            mode = .allocate(capacity: 1)
            mode.initialize(to: termios())
        }

        /// `text` as bytes that are kept for ever.
        private static func bytes(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
            _ = bytes.initialize(from: text.utf8)
            return bytes
        }
    }

    /// A second description of a terminal, which never blocks: the first is shared with the shell,
    /// which expects it to.
    private struct Opening: ~Copyable {
        private let descriptor = Atomic<Int32>(-1)

        /// Opens the terminal `first` a second time, unless that was done before.
        func open(_ first: Int32) {
            guard descriptor.load(ordering: .relaxed) < 0 else { return }
            descriptor.store(
                Glibc.open(
                    "/proc/self/fd/\(first)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC),
                ordering: .releasing)
        }

        /// Writes what the terminal takes without waiting. Any thread, any signal handler.
        func write(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
            _ = Glibc.write(descriptor.load(ordering: .acquiring), bytes.baseAddress, bytes.count)
        }
    }
}
