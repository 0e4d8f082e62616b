import Glibc
import SystemSupport

/// A sender of commands: a connection to the control socket, a pipe, or a socket that this program
/// was given. Main thread; no call waits.
struct ControlClient {
    /// The longest line, in bytes.
    private static let longestLine = 4096
    /// How long the rest of a line may take, in seconds.
    private static let linePatience = 10.0

    /// Tells it from others, whose descriptor it may have had.
    var number = 0
    let descriptor: Int32
    /// Whether it is a socket; a pipe takes no answers.
    let isSocket: Bool
    private var takesAnswers: Bool
    private var line: [UInt8] = []
    /// Lines that have come whole, and are still to be carried out.
    private var lines: [Result<String, Refusal>] = []
    /// Whether the answer to its last line is still to come; the lines behind it wait.
    private var awaitsAnswer = false
    /// Whether the present line is too long, and is skipped to its end.
    private var isSkipping = false
    /// Whether it is told of events.
    private(set) var isSubscribed = false
    /// What it shows, where it is the terminal of a stage.
    private var stage: Stage?
    /// Answers and events that wait, and the rest of the one that is being sent.
    private var waiting = TextQueue()
    private var rest: [UInt8] = []
    /// How many of those are answers.
    private var answerCount = 0
    private var sendsAnswer = false
    private var isClosed = false
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
        guard !isSubscribed, stage == nil, !hasUnsent, !isWithinLine, lines.isEmpty, !awaitsAnswer
        else {
            return false
        }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Whether more lines are read: not while lines wait, or the client does not take its answers.
    var isListenedTo: Bool { answerCount == 0 && !isClosed && lines.isEmpty && !awaitsAnswer }

    /// Whether it has left, and all that it has sent is carried out.
    var hasEnded: Bool { isClosed && lines.isEmpty && !awaitsAnswer }

    /// Whether a line can be carried out now.
    var hasLine: Bool { !lines.isEmpty && !awaitsAnswer }

    /// The next line to carry out; nil if none has come, or an answer is awaited.
    mutating func nextLine() -> Result<String, Refusal>? {
        hasLine ? lines.removeFirst() : nil
    }

    /// The answer to the line that was taken last comes later, by `answer`.
    mutating func awaitAnswer() { awaitsAnswer = true }

    /// Whether something is to be offered to it again.
    var hasUnsent: Bool { !rest.isEmpty || !waiting.isEmpty }

    /// Reads the lines that have come, of a bounded number of bytes; call it when the descriptor is
    /// readable.
    mutating func readLines(at now: Double = Clock.seconds) {
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count =
            isSocket
            ? recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            : read(descriptor, &bytes, bytes.count)
        useTime = now
        guard count > 0 else {
            isClosed = count == 0 || errno != EINTR && errno != EAGAIN
            // A last line may have no end.
            if isClosed, !line.isEmpty { takeLine() }
            return
        }
        for byte in bytes[..<count] {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) } else { isSkipping = true }
                continue
            }
            takeLine()
        }
    }

    /// Takes the line that has come whole.
    private mutating func takeLine() {
        defer { (line, isSkipping) = ([], false) }
        if isSkipping {
            let reason = "the line is longer than \(Self.longestLine) bytes"
            return lines.append(.failure(Refusal(reason: reason)))
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(validating: line, as: UTF8.self)
        lines.append(
            text.map { .success($0) } ?? .failure(Refusal(reason: "the line is not UTF-8")))
    }

    /// Sends a line, as soon as the client takes it.
    mutating func answer(_ text: String) { answer(line: SafeText.clean(text) + "\n") }

    /// Sends an event in place of a line.
    mutating func answer(_ event: Event) { answer(line: event.json(time: Clock.seconds)) }

    private mutating func answer(line: String) {
        awaitsAnswer = false
        guard takesAnswers else { return }
        waiting.add(line, .last) { _ in "" }
        answerCount += 1
        send()
    }

    /// From now on it is told of events.
    mutating func subscribe() { isSubscribed = takesAnswers }

    /// Sends an event to a subscriber. One who is slow gets only the newest of states and, where too much
    /// waits, is told how many others he missed.
    mutating func tell(_ event: Event, at time: Double) {
        guard isSubscribed else { return }
        waiting.add(event.json(time: time), event.urgency == .last ? .ordered : event.urgency) {
            Event.dropped(events: $0).json(time: time)
        }
        send()
    }

    /// Whether it shows what singers see.
    var isStage: Bool { stage != nil }

    /// From now on it is sent the bytes that show what singers see, on a terminal of that kind.
    mutating func show(on terminal: StageTerminal) {
        awaitsAnswer = false
        guard takesAnswers else { return }
        if stage == nil { answer("ok \(StageTerminal.command)") }
        stage = Stage(on: terminal)
    }

    /// Tells that a terminal is none that can be drawn for; one that was drawn for before stays as it was.
    mutating func refuseStage() {
        awaitsAnswer = false
        guard stage == nil else { return }
        answer("error this duet draws for no such terminal; both need the same version")
    }

    /// Sends what shows `screen`. One who is slow misses what lies between.
    mutating func show(_ screen: ScreenState) {
        guard takesAnswers, !hasUnsent, let bytes = stage?.draw(screen) else { return }
        (rest, sendsAnswer) = (bytes, false)
        send()
    }

    /// Sends what was not taken before.
    mutating func send() {
        while takesAnswers, hasUnsent {
            if rest.isEmpty, let next = waiting.takeFirst() {
                rest = Array(next.text.utf8)
                sendsAnswer = next.urgency == .last
            }
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = Glibc.send(descriptor, rest, rest.count, flags)
            if count > 0 {
                rest.removeFirst(count)
                if rest.isEmpty, sendsAnswer { answerCount -= 1 }
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // It has left, maybe after commands that are still to be read.
                (waiting, rest, answerCount) = (TextQueue(), [], 0)
                (takesAnswers, isSubscribed, stage) = (false, false, nil)
            }
        }
    }
}
