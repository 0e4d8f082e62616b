/// Somebody who hears of changes, until `cancel` or until the object is gone.
public final class ParameterListener {
    fileprivate var body: ((ParameterChange) -> Void)?
    fileprivate let hearsWhenHeard: Bool

    fileprivate init(_ body: @escaping (ParameterChange) -> Void, whenHeard: Bool) {
        self.body = body
        hearsWhenHeard = whenHeard
    }

    /// No further change is told.
    public func cancel() { body = nil }
}

/// All who hear of a graph's changes; any of them may edit the graph meanwhile. Control thread.
final class ParameterListeners {
    private struct Entry {
        weak var listener: ParameterListener?
    }

    private var entries: [Entry] = []

    /// Whether anybody wants to know the frames of changes.
    var areToldWhenHeard: Bool { entries.contains { $0.listener?.hearsWhenHeard == true } }

    func add(
        _ body: @escaping (ParameterChange) -> Void, whenHeard: Bool
    ) -> ParameterListener {
        let listener = ParameterListener(body, whenHeard: whenHeard)
        entries.append(Entry(listener: listener))
        return listener
    }

    /// Tells those who hear of changes once, in the order in which they came.
    func tell(_ changes: [ParameterChange]) { tell(changes, whenHeard: false) }

    /// Tells those who hear of changes with their frames.
    func tellHeard(_ changes: [ParameterChange]) { tell(changes, whenHeard: true) }

    private func tell(_ changes: [ParameterChange], whenHeard: Bool) {
        entries.removeAll { $0.listener?.body == nil }
        for change in changes {
            for entry in entries where entry.listener?.hearsWhenHeard == whenHeard {
                entry.listener?.body?(change)
            }
        }
    }
}
