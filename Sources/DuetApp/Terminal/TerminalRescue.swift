import Glibc
import Synchronization

/// Brings the user's terminal back from anywhere, a signal handler included: its mode, pastes as
/// they were, the screen that a program had for itself, and the cursor below what is drawn in place.
///
/// Made of async-signal-safe calls alone; a terminal that takes no output is waited for at most
/// 0.1 s a time.
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

    /// The bytes that give a program the screen for itself, without a cursor, and make the terminal
    /// tell of the mouse, by xterm: alternate screen (1049), cursor (25), buttons and wheel (1000) as
    /// numbers (1006).
    static let screenTaken = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h".utf8)

    /// The bytes that give the screen back. A terminal that has no second screen goes below the picture.
    static let screenGiven = Array(
        "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[m\u{1B}[?25h\u{1B}[999;1H\r\n\u{1B}[?1049l".utf8)

    /// The bytes that end a picture that was begun, and take it away: Kitty's by its number, a terminal
    /// with sixels passes that over.
    static let imageGone = Array("\u{1B}\\\u{1B}_Ga=d,d=I,i=31,q=2\u{1B}\\".utf8)

    /// Notes that the terminal is about to draw a picture by itself. Thread: its writer.
    static func imageStands() { Kept.shared.imageStands.store(true, ordering: .releasing) }

    /// Notes that it shows no picture of its own.
    static func imageIsGone() { Kept.shared.imageStands.store(false, ordering: .releasing) }

    /// Notes that the program is about to take the screen of the terminal `descriptor`. Thread: its
    /// writer.
    static func screenStands(on descriptor: Int32) {
        Kept.shared.areaOutput.open(descriptor)
        Kept.shared.screenStands.store(true, ordering: .releasing)
    }

    /// Notes that the screen was given back.
    static func screenIsGone() { Kept.shared.screenStands.store(false, ordering: .releasing) }

    /// How often `restore` gave a screen back: what the writer of that screen had not written by then
    /// must not come after it. Any thread.
    static var screensGiven: Int { Kept.shared.screensGiven.load(ordering: .acquiring) }

    /// Gives the terminal back as it was found. Any thread, any signal handler.
    static func restore() {
        let kept = Kept.shared
        if kept.screenStands.exchange(false, ordering: .acquiringAndReleasing) {
            kept.screensGiven.wrappingAdd(1, ordering: .acquiringAndReleasing)
            // What was not read yet is of the screen that ends.
            let hasImage = kept.imageStands.exchange(false, ordering: .acquiringAndReleasing)
            kept.areaOutput.write(
                hasImage ? kept.imageAndScreenGiven : kept.screenGiven, drops: true)
        }
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

    private final class Kept: @unchecked Sendable {
        // Safety: `mode` is written by the main thread before `keys` names its terminal, and never
        // after that until `restore` has taken `keys` away. All else is atomic.
        static let shared = Kept()

        let mode: UnsafeMutablePointer<termios>
        // Kept as bytes, since making them of a string may allocate.
        let pastesMarked = bytes("\u{1B}[?2004h".utf8)
        let pastesPlain = bytes("\u{1B}[?2004l".utf8)
        /// Goes below the first line, where the cursor is, and clears what is there: the shell's
        /// prompt comes there.
        let farewell = bytes("\r\n\u{1B}[J".utf8)
        let screenGiven = bytes(TerminalRescue.screenGiven)
        let imageAndScreenGiven = bytes(TerminalRescue.imageGone + TerminalRescue.screenGiven)
        /// The terminal that keys are read from in a mode of our own; −1: there is none.
        let keys = Atomic<Int32>(-1)
        let keysOutput = Opening()
        let areaStands = Atomic<Bool>(false)
        let screenStands = Atomic<Bool>(false)
        let imageStands = Atomic<Bool>(false)
        let screensGiven = Atomic<Int>(0)
        let areaOutput = Opening()

        init() {
            mode = .allocate(capacity: 1)
            mode.initialize(to: termios())
        }

        /// A copy of `bytes` that is kept for ever.
        private static func bytes(
            _ bytes: some Collection<UInt8>
        ) -> UnsafeMutableBufferPointer<UInt8> {
            let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = kept.initialize(from: bytes)
            return kept
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

        /// Writes what the terminal takes. Waits at most 0.1 s, since another thread may just be
        /// writing to it, which makes the terminal refuse. Any thread, any signal handler.
        ///
        /// - Parameter drops: whether what was written before, and not read yet, makes room, and
        ///   output that was stopped goes on.
        func write(_ bytes: UnsafeMutableBufferPointer<UInt8>, drops: Bool = false) {
            let descriptor = descriptor.load(ordering: .acquiring)
            let group = tcgetpgrp(descriptor)
            // In the background what makes room would stop this process.
            let drops = drops && (group < 0 || group == getpgrp())
            var done = 0
            for attempt in 0..<100 {
                if drops, attempt == 50 {
                    tcflush(descriptor, TCOFLUSH)
                    tcflow(descriptor, TCOON)
                    done = 0
                }
                // A terminal that is nearly full takes a part.
                let count = Glibc.write(
                    descriptor, bytes.baseAddress! + done, bytes.count - done)
                guard count > 0 || errno == EAGAIN else { return }
                done += max(0, count)
                guard done < bytes.count else { return }
                poll(nil, 0, 1)
            }
        }
    }
}
