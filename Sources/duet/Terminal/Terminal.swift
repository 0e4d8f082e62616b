import Glibc
import Synchronization

/// The terminal that keys are read from: raw mode while we run, the user's own mode at every way
/// out, a second Ctrl-C and SIGQUIT included.
///
/// One thread uses it; `restoreFromSignal` alone may run in a signal handler.
final class Terminal {
    /// What to read keys from.
    let descriptor: Int32
    private var decoder = KeyDecoder()

    /// The terminal on `descriptor`, as it is until `enterRawMode`; nil when there is none.
    init?(descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
    }

    deinit { restore() }

    /// Keys one by one and unechoed; Ctrl-C and Ctrl-Z still signal. False when this program runs
    /// in the terminal's background: then keys are somebody else's, and touching its mode would
    /// stop us.
    func enterRawMode() -> Bool {
        guard tcgetpgrp(descriptor) == getpgrp(), SavedMode.shared.save(descriptor) else {
            return false
        }
        var mode = SavedMode.shared.mode.pointee
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &mode.c_cc) { codes in
            codes[Int(VMIN)] = 1
            codes[Int(VTIME)] = 0
        }
        return tcsetattr(descriptor, TCSADRAIN, &mode) == 0
    }

    /// Gives the terminal back as it was found.
    func restore() { Self.restoreFromSignal() }

    /// The keys that wait; call it when the descriptor is readable. Nil when the terminal is gone.
    func readKeys() -> [Key]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil }
        return decoder.decode(bytes[..<count])
    }

    /// The same as `restore`, made of async-signal-safe calls alone.
    static func restoreFromSignal() {
        SavedMode.shared.restore()
    }

    /// How many columns the terminal on `descriptor` has; nil when it is none.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        // A terminal that does not know its width says 0.
        return size.ws_col == 0 ? 80 : Int(size.ws_col)
    }
}

/// The user's terminal mode, where a signal handler can reach it.
///
/// Safety: `mode` is written by the main thread before `descriptor` names it, and never after
/// that until `restore` has taken the descriptor away.
private final class SavedMode: @unchecked Sendable {
    /// Created before any handler is installed: `Signals` touches it first.
    static let shared = SavedMode()

    let mode: UnsafeMutablePointer<termios>
    private let descriptor = Atomic<Int32>(-1)

    private init() {
        mode = .allocate(capacity: 1)
        mode.initialize(to: termios())
    }

    /// Keeps the present mode of the terminal; the mode kept already stays when there is one.
    func save(_ terminal: Int32) -> Bool {
        if descriptor.load(ordering: .acquiring) == terminal { return true }
        guard tcgetattr(terminal, mode) == 0 else { return false }
        descriptor.store(terminal, ordering: .releasing)
        return true
    }

    func restore() {
        let terminal = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        // TCSANOW: nothing may wait for a terminal that takes no output. Not from the background,
        // where it would stop us.
        if terminal >= 0, tcgetpgrp(terminal) == getpgrp() { tcsetattr(terminal, TCSANOW, mode) }
    }
}
