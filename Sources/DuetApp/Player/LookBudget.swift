/// How long looks at files may hold up the main thread: a fifth of a second in each second, and what
/// the last of them takes longer.
struct LookBudget {
    /// In seconds.
    private static let (interval, most) = (1.0, 0.2)

    /// When the present second began, and what the looks in it have taken.
    private var (start, spent) = (-Double.infinity, 0.0)

    /// Whether another look may begin at `now`, in seconds of a clock.
    mutating func allowsLook(at now: Double) -> Bool {
        if now - start >= Self.interval { (start, spent) = (now, 0) }
        return spent < Self.most
    }

    /// A look has taken so many seconds.
    mutating func note(lookOf seconds: Double) { spent += seconds }
}
