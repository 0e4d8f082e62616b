import Glibc
import SystemSupport

/// One that asks by lines: a connection to the control socket, a pipe, or a descriptor that this
/// program was given. Main thread; no call waits.
struct ControlClient {
    /// The longest line, in bytes.
    private static let longestLine = 4096

    let descriptor: Int32
    /// Whether answers can be sent; a pipe takes none.
    private let takesAnswers: Bool
    private var line: [UInt8] = []
    /// Whether the present line is too long, and is skipped to its end.
    private var isSkipping = false
    /// Answers that were not taken yet.
    private var answers: [UInt8] = []
    private(set) var hasEnded = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var facts = stat()
        takesAnswers = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Whether more lines are read: not while the client does not take its answers.
    var isListenedTo: Bool { answers.isEmpty && !hasEnded }

    /// The lines that have come, of a bounded number of bytes; call it when the descriptor is
    /// readable.
    mutating func readLines() -> [Result<String, Refusal>] {
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else {
            hasEnded = count == 0 || errno != EINTR && errno != EAGAIN
            return []
        }
        var lines: [Result<String, Refusal>] = []
        for byte in bytes[..<count] {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) } else { isSkipping = true }
                continue
            }
            if isSkipping {
                lines.append(
                    .failure(Refusal(reason: "the line is longer than \(Self.longestLine) bytes")))
            } else if let text = String(validating: line, as: UTF8.self) {
                if !text.isEmpty { lines.append(.success(text)) }
            } else {
                lines.append(.failure(Refusal(reason: "the line is not UTF-8")))
            }
            (line, isSkipping) = ([], false)
        }
        return lines
    }

    /// Sends a line, as soon as the client takes it.
    mutating func answer(_ text: String) {
        guard takesAnswers else { return }
        answers += Array(SafeText.clean(text).utf8) + [UInt8(ascii: "\n")]
        sendAnswers()
    }

    /// Sends what was not taken before.
    mutating func sendAnswers() {
        guard !answers.isEmpty else { return }
        let count = send(descriptor, answers, answers.count, Int32(MSG_NOSIGNAL))
        if count > 0 {
            answers.removeFirst(count)
        } else if errno != EINTR, errno != EAGAIN {
            answers = []
            hasEnded = true
        }
    }
}
