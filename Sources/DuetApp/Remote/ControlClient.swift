import Glibc
import SystemSupport

/// A sender of commands: a connection to the control socket, a pipe, or a socket that this program
/// was given. Main thread; no call waits.
struct ControlClient {
    /// The longest line, in bytes.
    private static let longestLine = 4096
    /// How long the rest of a line may take, in seconds.
    private static let linePatience = 10.0

    let descriptor: Int32
    /// Whether it is a socket; a pipe takes no answers.
    let isSocket: Bool
    private var takesAnswers: Bool
    private var line: [UInt8] = []
    /// Whether the present line is too long, and is skipped to its end.
    private var isSkipping = false
    /// Answers that were not taken yet.
    private var answers: [UInt8] = []
    private(set) var hasEnded = false
    /// When it was connected, or sent something last, in seconds of the clock.
    private(set) var useTime: Double

    /// A client on `descriptor`, a socket or a pipe that does not wait, at the time `now` in seconds of
    /// the clock.
    init(_ descriptor: Int32, isSocket: Bool, now: Double = Clock.seconds) {
        useTime = now
        self.descriptor = descriptor
        self.isSocket = isSocket
        takesAnswers = isSocket
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Whether it waits for nothing at the time `now`: it has taken its answers, and sent no command
    /// that is still to be read. A line without an end counts for `linePatience` from its last byte.
    func isIdle(at now: Double) -> Bool {
        let isWithinLine = !line.isEmpty && now < useTime + Self.linePatience
        guard answers.isEmpty, !isWithinLine else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Whether more lines are read: not while the client does not take its answers.
    var isListenedTo: Bool { answers.isEmpty && !hasEnded }

    /// The lines that have come, of a bounded number of bytes; call it when the descriptor is
    /// readable.
    mutating func readLines(at now: Double = Clock.seconds) -> [Result<String, Refusal>] {
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count =
            isSocket
            ? recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            : read(descriptor, &bytes, bytes.count)
        useTime = now
        guard count > 0 else {
            hasEnded = count == 0 || errno != EINTR && errno != EAGAIN
            // A last line may have no end.
            return hasEnded && !line.isEmpty ? takeLine() : []
        }
        var lines: [Result<String, Refusal>] = []
        for byte in bytes[..<count] {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) } else { isSkipping = true }
                continue
            }
            lines += takeLine()
        }
        return lines
    }

    /// The line that has come, if it is not empty.
    private mutating func takeLine() -> [Result<String, Refusal>] {
        defer { (line, isSkipping) = ([], false) }
        if isSkipping {
            return [.failure(Refusal(reason: "the line is longer than \(Self.longestLine) bytes"))]
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else {
            return [.failure(Refusal(reason: "the line is not UTF-8"))]
        }
        return [.success(text)]
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
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        let count = send(descriptor, answers, answers.count, flags)
        if count > 0 {
            answers.removeFirst(count)
        } else if errno != EINTR, errno != EAGAIN {
            // It has left, maybe after commands that are still to be read.
            (answers, takesAnswers) = ([], false)
        }
    }
}
