/// The changes of a take's values while it is recorded, so few that `take.json` can be read again.
struct RecordedChanges: Sendable {
    /// The most that are kept: some 15 MB of text.
    static let limit = 150_000
    /// From so many on, changes of one value that come closer than `shortest` seconds are one.
    static let roomy = limit / 2
    static let shortest = 0.01

    /// In their order.
    private(set) var list: [Take.Change] = []
    /// Whether every change is in `list`, in its frame.
    private(set) var isWhole = true
    /// Where in `list` the last change of each address is.
    private var last: [String: Int] = [:]

    /// Adds a change, or gives the last one of its address that value. Returns false when it is not kept.
    mutating func add(_ change: Take.Change, rate: Int) -> Bool {
        if case .preset = change.parameter.unit {
            // What it sets belongs behind it.
            last = [:]
        } else if let index = last[change.parameter.address] {
            let distance = change.frame - list[index].frame
            let isJoined =
                list.count >= Self.roomy && Double(distance) < Self.shortest * Double(rate)
            if distance == 0 || isJoined {
                if distance != 0 { isWhole = false }
                list[index].value = change.value
                return true
            }
        }
        guard list.count < Self.limit else {
            isWhole = false
            return false
        }
        last[change.parameter.address] = list.count
        list.append(change)
        return true
    }
}
