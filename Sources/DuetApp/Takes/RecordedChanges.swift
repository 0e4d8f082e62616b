/// The changes of a take's values while it is recorded, so few that `take.json` can be read again.
struct RecordedChanges: Sendable {
    /// The most that are kept: some 15 MB of text.
    static let limit = 150_000
    /// Changes of one value that come closer than this are one, in seconds.
    static let shortest = 0.01

    /// In their order.
    private(set) var list: [Take.Change] = []
    /// Where in `list` the last change of each address is.
    private var last: [String: Int] = [:]

    /// Adds a change, or gives the last one of its address that value. Returns false when it is not kept.
    mutating func add(_ change: Take.Change, rate: Int) -> Bool {
        if case .preset = change.parameter.unit {
            // What it sets belongs behind it.
            last = [:]
        } else if let index = last[change.parameter.address],
            Double(change.frame - list[index].frame) < Self.shortest * Double(rate)
        {
            list[index].value = change.value
            return true
        }
        guard list.count < Self.limit else { return false }
        last[change.parameter.address] = list.count
        list.append(change)
        return true
    }
}
