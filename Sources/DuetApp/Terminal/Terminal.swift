import Glibc
import SystemSupport

/// The terminal that keys are read from: raw mode while we run, the user's own mode at every way
/// out, a second Ctrl-C and fatal signals included.
///
/// For one thread.
final class Terminal {
    /// Readable when keys wait; nil while this program takes none.
    var keyDescriptor: Int32? { givesKeys ? descriptor : nil }

    private let descriptor: Int32
    /// Whether the terminal is asked to mark what is pasted, so that it is not taken for keys.
    private let marksPastes: Bool
    /// Whether the terminal is in raw mode, and gives its keys to this program.
    private var givesKeys = false
    private var decoder = KeyDecoder()

    /// The terminal on `descriptor`, as it is until `enterRawMode`; nil when there is none.
    init?(descriptor: Int32, marksPastes: Bool) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
        self.marksPastes = marksPastes
    }

    deinit { restore() }

    /// Sets the terminal to give keys to this program at once and unechoed; Ctrl-C and Ctrl-Z still
    /// signal, Ctrl-S and Ctrl-Q are keys like others. Does nothing, and `keyDescriptor` is nil,
    /// while this program runs in the terminal's background: keys are the shell's then, and setting
    /// the mode would stop this process.
    func enterRawMode() {
        givesKeys = false
        guard tcgetpgrp(descriptor) == getpgrp(), var mode = TerminalRescue.save(descriptor) else {
            return
        }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        mode.c_iflag &= ~tcflag_t(IXON)
        withUnsafeMutableBytes(of: &mode.c_cc) { codes in
            // A read never waits, even when another program took the key that woke this one.
            codes[Int(VMIN)] = 0
            codes[Int(VTIME)] = 0
        }
        // TCSANOW: nothing waits for a terminal that takes no output.
        givesKeys = tcsetattr(descriptor, TCSANOW, &mode) == 0
        if givesKeys && marksPastes { TerminalRescue.markPastes() }
    }

    /// Gives the terminal back as it was found.
    func restore() { TerminalRescue.restore() }

    /// The keys that wait; call it when `keyDescriptor` is readable. A terminal that is gone has
    /// none, and no `keyDescriptor` any more.
    func readKeys() -> [Key] {
        // As much as a terminal keeps: what it sent at once is read at once.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        if count > 0 { return decoder.decode(bytes[..<count], at: Clock.seconds) }
        if count < 0 {
            givesKeys = errno == EINTR || errno == EAGAIN
        } else {
            // In this mode 0 bytes are no end, but for a terminal that has hung up.
            var entry = pollfd(fd: descriptor, events: 0, revents: 0)
            givesKeys = poll(&entry, 1, 0) <= 0
        }
        return []
    }

    /// What the terminal has answered since this was asked last.
    func takeAnswers() -> [TerminalAnswer] { decoder.takeAnswers() }

    /// Seconds until `endPart` may have a key; for ever where nothing has come in part.
    var secondsUntilEnd: Double { decoder.deadline - Clock.seconds }

    /// Ends what has come in part and was followed by nothing for long enough: an Escape is a key.
    func endPart() -> [Key] { decoder.endPart(at: Clock.seconds) }

    /// Whether another program has the terminal on `descriptor`: a shell, while this program runs in
    /// its background.
    static func isInBackground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group > 0 && group != getpgrp()
    }

    /// How many columns and rows the terminal on `descriptor` has, 1000 and 500 at most; nil when it is
    /// none.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        // A terminal that does not know its size says 0.
        let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
        return (columns == 0 ? 80 : min(columns, 1000), rows == 0 ? 24 : min(rows, 500))
    }

    /// How many pixels a cell of the terminal on `descriptor` has; nil where it does not tell.
    static func cell(of descriptor: Int32) -> PixelSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        let (width, height) = (size.ws_xpixel / size.ws_col, size.ws_ypixel / size.ws_row)
        guard width > 0, height > 0 else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }
}
