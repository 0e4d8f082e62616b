import CRealtime
import Synchronization

/// What other threads tell the main thread: a queue, and a descriptor to wait for.
///
/// Bounded: when `limit` messages wait, the oldest gives way, for what a later one says of a song
/// counts more.
final class Inbox<Message: Sendable>: Sendable {
    private struct Waiting {
        var messages: [Message] = []
        var lost = 0
    }

    /// Readable (poll(2)) while something waits.
    let descriptor = crealtime_event_create()
    private let limit: Int
    private let waiting = Mutex(Waiting())

    init(limit: Int = 1024) { self.limit = limit }

    /// Any thread.
    func post(_ message: Message) {
        waiting.withLock { waiting in
            if waiting.messages.count >= limit {
                waiting.messages.removeFirst()
                waiting.lost += 1
            }
            waiting.messages.append(message)
        }
        crealtime_event_signal(descriptor)
    }

    /// The oldest `count` messages that wait, in their order, and how many gave way since the last
    /// call. While others wait the descriptor stays readable. Main thread.
    func take(atMost count: Int = .max) -> (messages: [Message], lost: Int) {
        _ = crealtime_event_clear(descriptor)
        let (taken, lost, isEmpty) = waiting.withLock { waiting in
            let taken = Array(waiting.messages.prefix(count))
            waiting.messages.removeFirst(taken.count)
            defer { waiting.lost = 0 }
            return (taken, waiting.lost, waiting.messages.isEmpty)
        }
        if !isEmpty { crealtime_event_signal(descriptor) }
        return (taken, lost)
    }
}
