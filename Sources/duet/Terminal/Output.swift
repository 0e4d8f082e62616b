import Glibc
import Synchronization

/// A descriptor that text goes to, whole and at once.
final class Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    /// How long a reader may take for the last texts once a stop was asked for, in milliseconds.
    private static let lastPatience: Int32 = 500
    /// How soon a stop is seen whose signal came just before a wait, in milliseconds.
    private static let look: Int32 = 100

    let descriptor: Int32
    /// Whether a person looks at it.
    let isTerminal: Bool
    /// Nobody read at the end: nothing is written any more.
    private let isGivenUp = Atomic<Bool>(false)

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
                guard takesBytes() else { return false }
                // A pipe that takes any takes as many at once (pipe(7)).
                let count = Glibc.write(
                    descriptor, bytes.baseAddress! + done, min(bytes.count - done, Int(PIPE_BUF)))
                if count > 0 {
                    done += count
                } else if errno != EAGAIN && errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Waits until a write would not, or would fail. False when nobody reads and a stop was asked
    /// for: a full pipe must not hold the program's end.
    private func takesBytes() -> Bool {
        while !isGivenUp.load(ordering: .relaxed) {
            let isStopping = Signals.isStopping
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let count = poll(&entry, 1, isStopping ? Self.lastPatience : Self.look)
            if count > 0 { return true }
            if count == 0 && isStopping { isGivenUp.store(true, ordering: .relaxed) }
        }
        return false
    }
}
