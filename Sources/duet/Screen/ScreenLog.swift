/// What was reported while the screen stands, bounded: the oldest lines are dropped first.
struct ScreenLog {
    /// How many lines are kept, how many warnings, and how much of each text, in scalars.
    private static let (most, mostWarnings, longest) = (500, 100, 1000)
    /// How long a line has a place of its own on the screen, in seconds; a warning stays longer, and
    /// for some time no line but another warning takes its place.
    private static let (lineTime, warningTime, warningAlone) = (8.0, 60.0, 8.0)

    private(set) var lines: [ScreenState.Line] = []
    /// Warnings that were never printed below the screen.
    private var unprinted: [String] = []
    /// How many of them were dropped, since there were too many.
    private var dropped = 0
    /// The line that has its place, until when, and until when no other line takes it; in seconds of
    /// the clock.
    private var fresh: (line: ScreenState.Line, end: Double, aloneUntil: Double)?

    /// - Parameters:
    ///   - isSeen: whether the screen shows elsewhere what the line says: it needs no place then.
    ///   - now: in seconds of the clock.
    mutating func add(_ text: String, isWarning: Bool, isSeen: Bool = false, now: Double) {
        let text = String(text.unicodeScalars.prefix(Self.longest))
        if lines.count == Self.most { lines.removeFirst() }
        let line = ScreenState.Line(text: text, isWarning: isWarning)
        lines.append(line)
        if !isSeen, isWarning || now >= fresh?.aloneUntil ?? now {
            fresh = (
                line, now + (isWarning ? Self.warningTime : Self.lineTime),
                isWarning ? now + Self.warningAlone : now
            )
        }
        guard isWarning else { return }
        if unprinted.count == Self.mostWarnings {
            unprinted.removeFirst()
            dropped += 1
        }
        unprinted.append(text)
    }

    /// The line that has a place of its own; nil: none has.
    func freshLine(now: Double) -> ScreenState.Line? {
        fresh.flatMap { now < $0.end ? $0.line : nil }
    }

    /// That line has been seen.
    mutating func dismiss() { fresh = nil }

    /// The last warnings that were not taken before.
    mutating func takeWarnings() -> [String] {
        defer { (unprinted, dropped) = ([], 0) }
        return (dropped > 0 ? ["\(dropped) earlier warnings are not shown"] : []) + unprinted
    }
}
