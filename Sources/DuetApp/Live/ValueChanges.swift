import SystemSupport

/// Values that were changed and are to be reported, in their order. However fast they change, the
/// reports are bounded, and the last value at each address is among them.
struct ValueChanges {
    struct Change: Sendable {
        let address: String
        let kind: ValueKind
        var value: Double
    }

    /// How many are reported at a time before only the last values at each address are.
    private static let most = 16
    /// Between two reports, in seconds.
    private static let interval = 0.02

    private var waiting: [Change] = []
    /// When the next report is due, in seconds of the clock.
    private var dueTime = 0.0

    mutating func add(_ change: Change) {
        if waiting.count >= Self.most,
            let last = waiting.lastIndex(where: { $0.address == change.address })
        {
            waiting[last].value = change.value
        } else {
            waiting.append(change)
        }
    }

    /// Seconds until a report is due; for ever where nothing waits.
    var secondsLeft: Double { waiting.isEmpty ? .infinity : max(0, dueTime - Clock.seconds) }

    /// What is to be reported: nothing where that was done a moment ago, unless `now`.
    mutating func take(now: Bool) -> [Change] {
        guard !waiting.isEmpty, now || Clock.seconds >= dueTime else { return [] }
        dueTime = Clock.seconds + Self.interval
        defer { waiting = [] }
        return waiting
    }
}
