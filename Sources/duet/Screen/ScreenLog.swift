/// What was reported while the screen stands, bounded: the oldest lines are dropped first.
struct ScreenLog {
    /// How many lines are kept, how many warnings, and how much of each text, in scalars.
    private static let (most, mostWarnings, longest) = (500, 100, 1000)
    /// How long a line has a place of its own on the screen, in seconds; a warning stays longer.
    private static let (lineTime, warningTime) = (8.0, 60.0)

    private(set) var lines: [ScreenState.Line] = []
    /// Warnings that were never printed below the screen.
    private var unprinted: [String] = []
    /// How many of them were dropped, since there were too many.
    private var dropped = 0
    /// Until when the newest line has its place, in seconds of the clock.
    private var freshUntil = -Double.infinity

    /// - Parameter now: in seconds of the clock.
    mutating func add(_ text: String, isWarning: Bool, now: Double) {
        let text = String(text.unicodeScalars.prefix(Self.longest))
        if lines.count == Self.most { lines.removeFirst() }
        lines.append(ScreenState.Line(text: text, isWarning: isWarning))
        freshUntil = now + (isWarning ? Self.warningTime : Self.lineTime)
        guard isWarning else { return }
        if unprinted.count == Self.mostWarnings {
            unprinted.removeFirst()
            dropped += 1
        }
        unprinted.append(text)
    }

    /// Whether the newest line still has a place of its own.
    func isFresh(now: Double) -> Bool { now < freshUntil }

    /// The newest line has been seen.
    mutating func dismiss() { freshUntil = -.infinity }

    /// The last warnings that were not taken before.
    mutating func takeWarnings() -> [String] {
        defer { (unprinted, dropped) = ([], 0) }
        return (dropped > 0 ? ["\(dropped) earlier warnings are not shown"] : []) + unprinted
    }
}
