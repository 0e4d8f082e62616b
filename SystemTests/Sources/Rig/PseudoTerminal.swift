import Foundation

/// A new terminal for a program, with the test on its other side.
public struct PseudoTerminal {
    /// The test's side; the caller closes it.
    public let master: Int32
    /// The path at which the program opens its side.
    public let path: String

    /// Makes a terminal of 30 rows and 100 columns; by default a new one has 0 of each.
    public init() {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // The same as unlockpt and ptsname; asm-generic/ioctls.h: TIOCSPTLCK, TIOCGPTN.
        var number: Int32 = 0
        _ = ioctl(master, 0x4004_5431, &number)
        _ = ioctl(master, 0x8004_5430, &number)
        path = "/dev/pts/\(number)"
        var size = winsize(ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }
}
