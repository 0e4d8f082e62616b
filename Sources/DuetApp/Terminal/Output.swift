import AudioMedia
import Glibc
import Synchronization
import SystemSupport

/// A descriptor that text is written to by a thread of its own, so that a terminal that is stopped,
/// a full pipe or a hung disk holds up that thread alone.
///
/// Nothing that is written has control characters but line ends, and what duet itself draws with:
/// this is the one way to a terminal for text, so no name or text from outside can be obeyed there.
///
/// Any thread may write; no call but `drain` and `finish` waits for the reader, but for 0.5 s where
/// the process has no thread left.
final class Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    /// Standard error; the same as `standard` where both lead to one file, so that what is written
    /// to one never tears the other.
    static let error =
        FilePlace(descriptor: STDOUT_FILENO) == FilePlace(descriptor: STDERR_FILENO)
        ? standard : Output(descriptor: STDERR_FILENO)

    let descriptor: Int32
    /// Whether the descriptor is a terminal, at which a person looks.
    let isTerminal: Bool
    /// Whether the descriptor is /dev/null, where nobody reads what is written.
    let isDiscarded: Bool

    private struct Waiting {
        var queue = TextQueue()
        var area: StatusArea.Change?
        var screen: ScreenArea.Change?
        var isWriting = false
        var hasThread = false
        var failure: Int32?
        /// `finish` gave up: nothing more is accepted, written or waited for.
        var isAbandoned = false

        /// The bytes that put all texts on a terminal, and change the area below them.
        mutating func takeTexts(_ drawn: inout StatusArea) -> String {
            var texts = queue.takeAll()[...]
            var text = ""
            while let left = texts.firstIndex(where: { $0.area != nil }) {
                text += drawn.draw(texts[...left].map(\.text).joined(), texts[left].area)
                texts = texts[(left + 1)...]
            }
            text += drawn.draw(texts.map(\.text).joined(), area)
            area = nil
            return text
        }

        var isEmpty: Bool { queue.isEmpty && area == nil && screen == nil && !isWriting }
    }

    private let waiting = Guarded(Waiting())
    /// Set when something waits, and when all is written; nil when the process had no descriptor
    /// left.
    private let (work, rest) = (EventFlag(), EventFlag())

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        isDiscarded =
            FilePlace(descriptor: descriptor).map { $0 == FilePlace(of: "/dev/null") } ?? false
    }

    /// Why nothing can be written any more, as an errno; nil while it can.
    var failure: Int32? { waiting.withLock { $0.failure } }

    /// Queues `text` to be written whole, unless too much waits.
    ///
    /// - Parameter missing: makes the text that stands for so many ordered texts that were refused.
    func write(
        _ text: String, _ urgency: Urgency = .ordered,
        missing: (Int) -> String = { "… \($0) lines are missing here\n" }
    ) {
        let hasThread = post { waiting in
            // Lines that were left stand above all that is written after them.
            var left: StatusArea.Change?
            if isTerminal, case .left? = waiting.area { left = waiting.area }
            let isQueued = waiting.queue.add(
                SafeText.withoutControls(text), urgency, below: left, missing: missing)
            if isQueued, left != nil { waiting.area = nil }
        }
        if !hasThread, urgency == .last { writeHere(SafeText.withoutControls(text)) }
    }

    /// Changes what stands below all texts on a terminal; the newest change counts.
    func show(_ change: StatusArea.Change) {
        post { $0.area = change.following($0.area) }
    }

    /// Changes what a terminal shows as a whole; the newest change counts. Texts wait until the screen
    /// is left.
    func show(_ change: ScreenArea.Change) {
        post { $0.screen = change.following($0.screen) }
    }

    /// Waits until all texts of both outputs are written, at most `seconds`.
    static func drain(seconds: Double) {
        let end = Clock.seconds + seconds
        for output in [standard, error] {
            while !output.isDrained, Clock.seconds < end {
                if output.rest?.wait(milliseconds: 50) == true { output.rest?.clear() }
            }
        }
    }

    /// Waits for the reader without a limit, as other programs do, until the user asks for a stop;
    /// after a live run waits no longer than `finish` does.
    static func drain() {
        while !hasFinished.load(ordering: .relaxed), !Signals.isStopping,
            ![standard, error].allSatisfy(\.isDrained)
        {
            drain(seconds: 0.1)
        }
        finish()
    }

    /// Ends the writing of a live run: texts that the reader does not take within 0.5 s are lost.
    static func finish() {
        hasFinished.store(true, ordering: .relaxed)
        drain(seconds: 0.5)
        for output in [standard, error] where !output.isDrained {
            output.waiting.withLock { $0.isAbandoned = true }
        }
    }

    /// Whether a live run is over.
    private static let hasFinished = Atomic<Bool>(false)

    private var isDrained: Bool {
        waiting.withLock { $0.isEmpty || $0.isAbandoned || $0.failure != nil }
    }

    /// False: the process has no thread or descriptor left for writing.
    @discardableResult private func post(_ change: (inout Waiting) -> Void) -> Bool {
        let hasThread = waiting.withLock { waiting in
            guard waiting.failure == nil, !waiting.isAbandoned else { return waiting.hasThread }
            if !waiting.hasThread {
                let code = startThread()
                guard code == 0 else {
                    waiting.failure = code
                    return false
                }
                waiting.hasThread = true
            }
            change(&waiting)
            return true
        }
        if hasThread { work?.set() }
        return hasThread
    }

    /// Writes `text` on the caller's thread, until the reader takes nothing for 0.5 s: a pipe that
    /// is ready takes 4096 bytes (pipe(7), PIPE_BUF) without waiting.
    private func writeHere(_ text: String) {
        var bytes = Array(text.utf8)[...]
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while !bytes.isEmpty, poll(&entry, 1, 500) == 1 {
            let count = bytes.prefix(4096).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

// MARK: The writing thread

extension Output {
    private func startThread() -> Int32 {
        guard let work, let rest else { return EMFILE }
        return DetachedThread.start("output") { [self] in
            var area = StatusArea(descriptor: descriptor)
            var screen = ScreenArea(descriptor: descriptor)
            // A thread that waits within a write to a terminal would keep all others from writing to
            // it, also a signal's handler that gives it back: this one waits beside the write.
            let own =
                isTerminal
                ? open(
                    "/proc/self/fd/\(descriptor)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
                : -1
            while true {
                // Before the bytes are made, which take the screen.
                let given = TerminalRescue.screensGiven
                guard let bytes = next(&area, &screen) else {
                    rest.set()
                    _ = work.wait(milliseconds: -1)
                    work.clear()
                    continue
                }
                if let code = writeWhole(bytes, to: own < 0 ? descriptor : own, given: given) {
                    waiting.withLock { $0.failure = code }
                }
                area.settle()
                screen.settle()
            }
        }
    }

    /// The bytes to write now; nil when nothing waits. On a terminal all texts and the area below
    /// them, or the screen; elsewhere one text, which a pipe takes whole or not at all up to PIPE_BUF.
    private func next(_ area: inout StatusArea, _ screen: inout ScreenArea) -> [UInt8]? {
        var bytes: [UInt8] = []
        let change = waiting.withLock { waiting -> ScreenArea.Change? in
            waiting.isWriting = false
            guard waiting.failure == nil, !waiting.isAbandoned, isTerminal else { return nil }
            if !screen.stands { bytes += waiting.takeTexts(&area).utf8 }
            defer { waiting.screen = nil }
            // What was taken is not written yet: the end of the program waits for it.
            waiting.isWriting = waiting.screen != nil || !bytes.isEmpty
            return waiting.screen
        }
        // Not under the lock: a large picture takes its time.
        if let change { bytes += screen.draw(change) }
        return waiting.withLock { waiting in
            guard waiting.failure == nil, !waiting.isAbandoned else { return nil }
            if isTerminal {
                if !screen.stands { bytes += waiting.takeTexts(&area).utf8 }
            } else {
                if let next = waiting.queue.takeFirst() { bytes += next.text.utf8 }
                waiting.area = nil
            }
            waiting.isWriting = !bytes.isEmpty
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Writes all of `bytes`, and blocks until the reader has taken them. Returns nil, or the errno of
    /// a failed write.
    ///
    /// - Parameter given: how many screens were given back when `bytes` were made; after another one
    ///   the rest of them is void.
    private func writeWhole(
        _ bytes: [UInt8], to descriptor: Int32, given: Int
    ) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, TerminalRescue.screensGiven == given {
                let count = Glibc.write(
                    descriptor, bytes.baseAddress! + done, bytes.count - done)
                if count > 0 {
                    done += count
                } else if errno == EAGAIN {
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&entry, 1, -1)
                    // A terminal with room for a single byte is ready, and takes no line's end.
                    poll(nil, 0, 2)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
