import Glibc

/// A descriptor that text goes to, whole and at once.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32
    /// Whether a person looks at it.
    let isTerminal: Bool

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Writes all of `text`. False when the reader is gone or the disk is full (errno says
    /// which), or when a stop was asked for while nobody took the text.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.write(
                    descriptor, bytes.baseAddress! + done, bytes.count - done)
                if count > 0 {
                    done += count
                } else if errno == EAGAIN {
                    // Someone made the pipe or terminal that we share non-blocking.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&wait, 1, -1) < 0, Signals.isStopping { return false }
                } else if errno != EINTR || Signals.isStopping {
                    return false
                }
            }
            return true
        }
    }
}
