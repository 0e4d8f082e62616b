import Synchronization
import SystemSupport

/// What other threads tell the main thread: a queue, and a descriptor to wait for.
///
/// Bounded: when `limit` messages wait, the oldest gives way, for what a later one says of a song
/// counts more.
final class Inbox<Message: Sendable>: Sendable {
    private struct Waiting {
        var messages: [Message] = []
        var lost = 0
    }

    /// Set while something waits; nil when the process had no descriptor left.
    private let flag = EventFlag()
    private let limit: Int
    private let waiting = Mutex(Waiting())

    init(limit: Int = 1024) { self.limit = limit }

    /// Readable (poll(2)) while something waits.
    var descriptor: Int32? { flag?.descriptor }

    /// Any thread.
    func post(_ message: Message) {
        waiting.withLock { waiting in
            if waiting.messages.count >= limit {
                waiting.messages.removeFirst()
                waiting.lost += 1
            }
            waiting.messages.append(message)
        }
        flag?.set()
    }

    /// The oldest `count` messages that wait, in their order, and how many gave way since the last
    /// call. While others wait the descriptor stays readable. Main thread.
    func take(atMost count: Int = .max) -> (messages: [Message], lost: Int) {
        flag?.clear()
        let (taken, lost, isEmpty) = waiting.withLock { waiting in
            let taken = Array(waiting.messages.prefix(count))
            waiting.messages.removeFirst(taken.count)
            defer { waiting.lost = 0 }
            return (taken, waiting.lost, waiting.messages.isEmpty)
        }
        if !isEmpty { flag?.set() }
        return (taken, lost)
    }
}
