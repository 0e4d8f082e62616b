/// Messages from other threads to the main thread: a queue, and a descriptor to wait for.
///
/// Bounded: when `limit` messages wait, a new one takes the place of the oldest, since newer news of
/// a song matter more.
package final class Inbox<Message: Sendable>: Sendable {
    private struct Waiting {
        var messages: [Message] = []
        var lost = 0
    }

    /// Set while messages wait; nil when the process had no descriptor left.
    private let flag = EventFlag()
    private let limit: Int
    private let waiting = Guarded(Waiting())

    package init(limit: Int = 1024) { self.limit = limit }

    /// Readable (poll(2)) while messages wait.
    package var descriptor: Int32? { flag?.descriptor }

    /// Any thread.
    package func post(_ message: Message) {
        waiting.withLock { waiting in
            if waiting.messages.count >= limit {
                waiting.messages.removeFirst()
                waiting.lost += 1
            }
            waiting.messages.append(message)
        }
        flag?.set()
    }

    /// Takes the oldest `count` messages, in their order, and says how many were dropped since the
    /// last call. While others wait the descriptor stays readable. Main thread.
    package func take(atMost count: Int = .max) -> (messages: [Message], lost: Int) {
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
