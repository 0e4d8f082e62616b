import CRealtime
import Synchronization

/// What other threads tell the main thread: a queue, and a descriptor to wait for.
final class Inbox<Message: Sendable>: Sendable {
    /// Readable (poll(2)) while something waits.
    let descriptor = crealtime_event_create()
    private let messages = Mutex<[Message]>([])

    /// Any thread.
    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        crealtime_event_signal(descriptor)
    }

    /// All that waits, in its order. Main thread.
    func take() -> [Message] {
        _ = crealtime_event_clear(descriptor)
        return messages.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
