/// What was reported while the screen stands, bounded: the oldest lines are dropped first. Some lines
/// get a place of their own on the screen, one after the other.
struct ScreenLog {
    /// How many lines are kept, how many warnings, and how much of each text, in scalars.
    private static let (most, mostWarnings, longest) = (500, 100, 1000)

    /// The key that shows the details; nil: none does.
    let detailsKey: String?
    private(set) var lines: [ScreenState.Line] = []
    /// Warnings that were never printed below the screen.
    private var unprinted: [(text: String, topic: Topic?)] = []
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

        /// What has a higher weight comes first.
        fileprivate var weight: Int {
            switch self {
            case .line: 0
            case .notice: 1
            case .early: 2
            case .greeting: 3
            case .warning: 4
            }
        }

        /// Seconds for which no other line takes the place, and after which the place is empty.
        fileprivate var times: (alone: Double, most: Double) {
            switch self {
            case .line: (0, 8)
            case .warning, .early: (8, 60)
            case .notice, .greeting: (4, 8)
            }
        }
    }

    init(detailsKey: String? = nil) { self.detailsKey = detailsKey }

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
                "warning: \(new.count) lines of your configuration are ignored"
                + (detailsKey.map { "; \($0) shows them" } ?? "")
        }
        if let topic { places.removeAll { $0.topic == topic } }
        // What is well again is told by a line that is no warning.
        if let topic, !isWarning { unprinted.removeAll { $0.topic == topic } }
        if !isSeen { place(new, now: now) }
        guard isWarning else { return }
        if unprinted.count == Self.mostWarnings {
            unprinted.removeFirst()
            dropped += 1
        }
        unprinted.append((text, topic))
    }

    /// A line comes after those of its weight, and a warning of what is heard just now before all. A
    /// plain line is shown at once, for good, or not at all: never in the place of a warning.
    private mutating func place(_ new: Place, now: Double) {
        places.removeAll { $0.kind == .line }
        if new.kind == .line {
            if let first = places.first {
                let passed = first.since.map { now - $0 } ?? 0
                let times = first.kind.times
                guard places.count == 1, passed >= (first.line.isWarning ? times.most : times.alone)
                else { return }
            }
            return places = [new]
        }
        let isUrgent = new.kind == .warning && new.topic?.isUrgent == true
        let index =
            isUrgent
            ? 0 : places.firstIndex { $0.kind.weight < new.kind.weight } ?? places.count
        // What gives way is shown again later, unless it was seen long enough.
        if index == 0, let first = places.first, let since = first.since {
            if now >= since + first.kind.times.alone {
                places.removeFirst()
            } else {
                places[0].since = nil
            }
        }
        places.insert(new, at: index)
        if places.count > Self.mostWarnings { places.removeLast() }
    }

    /// What is said of `topic` is no longer true: it is not shown any more, nor printed.
    mutating func settle(_ topic: Topic) {
        places.removeAll { $0.topic == topic }
        unprinted.removeAll { $0.topic == topic }
    }

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
        return (dropped > 0 ? ["\(dropped) earlier warnings are not shown"] : [])
            + unprinted.map(\.text)
    }
}
