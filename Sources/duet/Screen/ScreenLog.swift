/// What was reported while the screen stands, bounded: the oldest lines are dropped first. Some lines
/// get a place of their own on the screen, one after the other.
struct ScreenLog {
    /// How many lines are kept, how many warnings, and how much of each text, in scalars.
    private static let (most, mostWarnings, longest) = (500, 100, 1000)

    private(set) var lines: [ScreenState.Line] = []
    /// Warnings that were never printed below the screen.
    private var unprinted: [String] = []
    /// How many of them were dropped, since there were too many.
    private var dropped = 0
    /// The lines that have or await the place, the first of which has it.
    private var places: [Place] = []

    private struct Place {
        var line: ScreenState.Line
        var kind: Kind
        var topic: Topic?
        /// When it was first shown, in seconds of the clock; nil: it waits.
        var since: Double?
    }

    /// What a line is, which decides how long it is shown.
    enum Kind {
        case line, warning
        /// The first line of all.
        case greeting

        /// Seconds for which no other line takes the place, and after which the place is empty.
        fileprivate var times: (alone: Double, most: Double) {
            switch self {
            case .line: (0, 8)
            case .warning: (8, 60)
            case .greeting: (4, 8)
            }
        }
    }

    /// Adds a line. It takes the place from an earlier line of its topic, which is no longer true.
    ///
    /// - Parameters:
    ///   - topic: what the line is about; nil: nothing that changes.
    ///   - isSeen: whether the screen shows elsewhere what the line says: it needs no place then.
    ///   - now: in seconds of the clock.
    mutating func add(
        _ text: String, _ kind: Kind, about topic: Topic? = nil, isSeen: Bool = false, now: Double
    ) {
        let text = String(text.unicodeScalars.prefix(Self.longest))
        if lines.count == Self.most { lines.removeFirst() }
        let line = ScreenState.Line(text: text, isWarning: kind == .warning)
        lines.append(line)
        if let topic { settle(topic) }
        if !isSeen { place(Place(line: line, kind: kind, topic: topic), now: now) }
        guard kind == .warning else { return }
        if unprinted.count == Self.mostWarnings {
            unprinted.removeFirst()
            dropped += 1
        }
        unprinted.append(text)
    }

    /// A warning awaits its turn. Another line is shown at once, for good, or not at all.
    private mutating func place(_ new: Place, now: Double) {
        places.removeAll { $0.kind == .line }
        if new.kind == .line, let first = places.first {
            let isAlone = first.since.map { now < $0 + first.kind.times.alone } ?? true
            guard !isAlone, places.count == 1 else { return }
            places = []
        }
        places.append(new)
        if places.count > Self.mostWarnings { places.remove(at: 1) }
    }

    /// What is said of `topic` is no longer true: it is not shown any more.
    mutating func settle(_ topic: Topic) { places.removeAll { $0.topic == topic } }

    /// The line that has a place of its own; nil: none has.
    mutating func freshLine(now: Double) -> ScreenState.Line? {
        while let first = places.first {
            let since = first.since ?? now
            places[0].since = since
            let times = first.kind.times
            if now < since + (places.count > 1 ? times.alone : times.most) { return first.line }
            places.removeFirst()
        }
        return nil
    }

    /// That line has been seen.
    mutating func dismiss() { if !places.isEmpty { places.removeFirst() } }

    /// The last warnings that were not taken before.
    mutating func takeWarnings() -> [String] {
        defer { (unprinted, dropped) = ([], 0) }
        return (dropped > 0 ? ["\(dropped) earlier warnings are not shown"] : []) + unprinted
    }
}
