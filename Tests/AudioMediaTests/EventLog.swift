import Foundation

@testable import AudioMedia

/// Keeps the events of a queue, and lets a test wait for them.
final class EventLog: @unchecked Sendable {
    // Safety: all state is protected by `condition`, except `reaction`, which does not change
    // during a run.
    private let condition = NSCondition()
    private var events: [SongEvent] = []
    /// Called at every event, on the queue's thread; set before that thread starts.
    var reaction: ((SongEvent) -> Void)?

    func add(_ event: SongEvent) {
        reaction?(event)
        condition.lock()
        events.append(event)
        condition.broadcast()
        condition.unlock()
    }

    var all: [SongEvent] {
        condition.lock()
        defer { condition.unlock() }
        return events
    }

    /// The first event that `isWanted` takes; nil when none came in `seconds`.
    func wait(seconds: Double = 20, for isWanted: (SongEvent) -> Bool) -> SongEvent? {
        let deadline = Date().addingTimeInterval(seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let event = events.first(where: isWanted) { return event }
            guard condition.wait(until: deadline) else { return nil }
        }
    }

    /// The reasons that were told for reconnecting.
    var reconnections: [String] {
        all.compactMap {
            if case .reconnecting(_, let fault, _) = $0 { fault.description } else { nil }
        }
    }

    /// Why the song was lost; nil when it was not within 20 s.
    func failure() -> SongError? {
        let event = wait { if case .failed = $0 { true } else { false } }
        guard case .failed(let error) = event else { return nil }
        return error
    }
}
