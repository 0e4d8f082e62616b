/// How often an event may happen: a few times at once, and on average so many times a second.
struct RateLimit {
    private let perSecond: Double
    private let atOnce: Double
    private var credit: Double
    private var time = -Double.infinity

    /// - Parameters:
    ///   - perSecond: times a second on average, more than 0.
    ///   - atOnce: times at once, at least 1.
    init(perSecond: Double, atOnce: Double) {
        (self.perSecond, self.atOnce, credit) = (perSecond, atOnce, atOnce)
    }

    /// Whether the event may happen at `now`, in seconds of a clock that does not go back; if so it
    /// counts as having happened.
    mutating func allows(at now: Double) -> Bool {
        credit = min(atOnce, credit + (now - time) * perSecond)
        time = now
        guard credit >= 1 else { return false }
        credit -= 1
        return true
    }
}
