import Foundation

/// A new terminal that a test is on the other side of.
public struct PseudoTerminal {
    /// The test's side; the caller closes it.
    public let master: Int32
    /// The path by which programs open theirs.
    public let path: String

    /// Makes one of 100 columns; a new terminal has none.
    public init() {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // What unlockpt and ptsname do; asm-generic/ioctls.h: TIOCSPTLCK, TIOCGPTN.
        var number: Int32 = 0
        _ = ioctl(master, 0x4004_5431, &number)
        _ = ioctl(master, 0x8004_5430, &number)
        path = "/dev/pts/\(number)"
        var size = winsize(ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }
}
