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
        /// How many reports the line stands for.
        var count = 1
        /// When it was first shown, in seconds of the clock; nil: it waits.
        var since: Double?
    }

    /// What a line is, which decides how long it is shown.
    enum Kind {
        /// A line that may be missed, a line that awaits its turn, and a warning.
        case line, notice, warning
        /// The first line of all.
        case greeting
        /// A warning of before the screen stood: the others come first.
        case early

        /// Seconds for which no other line takes the place, and after which the place is empty.
        fileprivate var times: (alone: Double, most: Double) {
            switch self {
            case .line: (0, 8)
            case .warning, .early: (8, 60)
            case .notice, .greeting: (4, 8)
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
        let isWarning = kind == .warning || kind == .early
        let line = ScreenState.Line(text: text, isWarning: isWarning)
        lines.append(line)
        var new = Place(line: line, kind: kind, topic: topic)
        if topic == .configuration, let old = places.first(where: { $0.topic == topic }) {
            new.count += old.count
            new.line.text =
                "warning: \(new.count) lines of your configuration are ignored; d shows them"
        }
        if let topic { settle(topic) }
        if !isSeen { place(new, now: now) }
        guard isWarning else { return }
        if unprinted.count == Self.mostWarnings {
            unprinted.removeFirst()
            dropped += 1
        }
        unprinted.append(text)
    }

    /// A warning awaits its turn, but for one of what is heard just now. A plain line is shown at once,
    /// for good, or not at all.
    private mutating func place(_ new: Place, now: Double) {
        places.removeAll { $0.kind == .line }
        switch new.kind {
        case .line:
            if let first = places.first {
                let isAlone = first.since.map { now < $0 + first.kind.times.alone } ?? true
                guard !isAlone, places.count == 1 else { return }
                places = []
            }
            places = [new]
        case .early, .greeting: places.append(new)
        case .notice, .warning:
            let isUrgent = new.topic?.isUrgent == true
            // Warnings come before what is no fault, and both before what waits from the start.
            let waitsLonger: [Kind] = new.kind == .warning ? [.notice, .early] : [.early]
            let index =
                isUrgent ? 0 : places.firstIndex { waitsLonger.contains($0.kind) } ?? places.count
            // What has been seen does not come back over it.
            if index == 0, places.first?.since != nil { places.removeFirst() }
            places.insert(new, at: index)
        }
        if places.count > Self.mostWarnings { places.removeLast() }
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
