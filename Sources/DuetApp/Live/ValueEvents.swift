import SystemSupport

/// Reports changed values as events. However fast they change, the events are bounded, and the last value at
/// each address is among them.
final class ValueEvents: LivePart, JournalListener {
    /// How many are reported at a time before only the last values at each address are.
    private static let most = 16
    /// Between two reports, in seconds.
    private static let interval = 0.02

    private let journal: Journal
    private var waiting: [ValueChange] = []
    /// When the next report is due, in seconds of the clock.
    private var dueTime = 0.0

    init(_ journal: Journal) { self.journal = journal }

    func hear(_ news: Journal.News) {
        guard case .changes(let changes, by: _) = news else { return }
        for change in changes {
            if waiting.count >= Self.most,
                let last = waiting.lastIndex(where: { $0.address == change.address })
            {
                waiting[last] = change
            } else {
                waiting.append(change)
            }
        }
    }

    var secondsLeft: Double { waiting.isEmpty ? .infinity : max(0, dueTime - Clock.seconds) }

    func update() throws(DuetError) {
        if !waiting.isEmpty, Clock.seconds >= dueTime { try report() }
    }

    func finish() throws(DuetError) { try report() }

    private func report() throws(DuetError) {
        dueTime = Clock.seconds + Self.interval
        let changes = waiting
        waiting = []
        for change in changes {
            try journal.report(
                .parameter(
                    address: change.address, value: change.kind.json(change.new),
                    text: change.kind.text(change.new)))
        }
    }
}
