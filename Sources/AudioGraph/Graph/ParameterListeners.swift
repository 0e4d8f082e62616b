/// All who hear of a graph's changes; any of them may edit the graph meanwhile. Control thread.
final class ParameterListeners {
    private struct Entry {
        weak var listener: ParameterListener?
    }

    private var entries: [Entry] = []

    /// Somebody who hears of changes until the object that is returned is gone.
    func add(_ body: @escaping (ParameterChange) -> Void) -> ParameterListener {
        let listener = ParameterListener(body)
        entries.append(Entry(listener: listener))
        return listener
    }

    /// Tells all of them, in the order in which they came.
    func tell(_ changes: [ParameterChange]) {
        entries.removeAll { $0.listener?.body == nil }
        for change in changes {
            for entry in entries { entry.listener?.body?(change) }
        }
    }
}
