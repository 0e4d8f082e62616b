/// Lines that were refused on a pipe, where nobody gets an answer: the user is told of the first at
/// once, and then every two seconds of the newest and of how many there were beside it.
struct RefusedLines {
    private static let interval = 2.0

    private var count = 0
    private var newest = ""
    /// When the next may be told, in seconds of the clock.
    private var time = -Double.infinity

    mutating func add(_ refusal: Refusal) {
        count += 1
        newest = refusal.reason
    }

    /// Seconds from `now` until there is something to tell.
    func secondsLeft(at now: Double) -> Double { count == 0 ? .infinity : max(0, time - now) }

    /// What is to be told at `now`, in seconds of the clock; nil: nothing.
    mutating func take(at now: Double) -> String? {
        guard secondsLeft(at: now) == 0 else { return nil }
        defer { (count, time) = (0, now + Self.interval) }
        let others = count == 1 ? "" : "; \(count - 1) more were refused"
        return "a line of --control was refused: \(newest)\(others)"
    }
}
