import AudioGraph

/// The first lines: what plays and how JACK does, and where the song is.
struct HeadLines {
    let state: ScreenState
    private var status: Status { state.status }

    init(state: ScreenState) { self.state = state }

    /// The title on the left; on the right the facts, of which at least half of the line is
    /// left to the title.
    func drawTitle(into cells: inout Cells, row: Int) {
        let most = cells.columns / 2
        var facts = state.view == .words ? wordsFacts(columns: most) : facts
        while facts.count > 1, CellWidth.of(Self.joined(facts)) > most {
            let least = facts.map(\.rank).max()
            facts.removeAll { $0.rank == least }
        }
        let end = cells.columns - 1
        var column = cells.putRight(
            Self.joined(facts), row: row, end: end,
            style: status.state.isFault ? .hot : .faint)
        if let recording = status.recording {
            let left = cells.columns >= 100 && !recording.left.isEmpty ? " · \(recording.left)" : ""
            column = cells.putRight(
                "● \(recording.time)\(left)", row: row, end: column - 2, style: .hot)
        }
        cells.putCut(state.title, row: row, column: 1, end: column - 2, style: .strong)
    }

    /// A fact about the run; a higher rank leaves earlier.
    private typealias Fact = (text: String, rank: Int)

    private var facts: [Fact] {
        var facts: [Fact] = [("duet", 4)]
        if let cycle = state.cycle {
            let digits = cycle.rate % 1000 == 0 ? 0 : 1
            facts.append(("\(fixed(Double(cycle.rate) / 1000, digits: digits)) kHz", 3))
            facts.append(("\(cycle.period)", 2))
        }
        if status.hasMicrophone {
            let latency = status.latency.map { "\(fixed($0, digits: 1)) ms" }
            facts.append(("ear \(latency ?? "–")", 1))
        }
        facts.append(("xruns \(status.xruns)", 0))
        return facts
    }

    /// What singers want to know: the next song, and that the sound had gaps.
    private func wordsFacts(columns: Int) -> [Fact] {
        let gaps: [Fact] = status.xruns > 0 ? [("xruns \(status.xruns)", 0)] : []
        guard !state.next.isEmpty else { return gaps }
        let room = columns - (gaps.isEmpty ? 0 : CellWidth.of(gaps[0].text) + 3)
        return [(CellWidth.cut("next: \(state.next)", columns: room), 1)] + gaps
    }

    private static func joined(_ facts: [Fact]) -> String {
        facts.map(\.text).joined(separator: " · ")
    }

    /// The state, the place, the bar and the length; what is changed of the song at the right end,
    /// where there is room for it.
    ///
    /// - Returns: the columns of the bar, if there is one, and the changes where they had no room.
    func drawTransport(
        into cells: inout Cells, row: Int
    ) -> (bar: Range<Int>?, changes: String) {
        // For singers they have a row of their own.
        let changes = state.view == .words ? "" : state.changes.joined(separator: " · ")
        var end = cells.columns - 1
        let hasRoom = cells.columns - CellWidth.of(changes) >= 60
        if !changes.isEmpty, hasRoom {
            end = cells.putRight(changes, row: row, end: end, style: .accent) - 3
        }
        let rest = hasRoom ? "" : changes
        let style: CellStyle = status.state.isFault ? .hot : .strong
        var column = cells.put(sign, row: row, column: 1, end: end, style: style)
        let place = ClockTime(seconds: status.position).description
        column = cells.put(place, row: row, column: column + 1, end: end, style: .strong)
        guard let duration = status.duration, duration > 0 else { return (nil, rest) }
        let length = ClockTime(seconds: duration).description
        let start = cells.putRight(length, row: row, from: column + 1, end: end)
        let bar = (column + 1)..<max(column + 1, start - 1)
        guard bar.count >= 5 else { return (nil, rest) }
        draw(part: status.position / duration, into: &cells, row: row, bar)
        return (bar, rest)
    }

    private func draw(part: Double, into cells: inout Cells, row: Int, _ bar: Range<Int>) {
        let halves = Int(nearest: min(max(part, 0), 1) * Double(2 * bar.count))
        for (index, column) in bar.enumerated() {
            let filled = halves - 2 * index
            cells.put(
                filled >= 2 ? "━" : filled == 1 ? "╸" : "─", row: row, column: column,
                style: filled > 0 ? .accent : .faint)
        }
    }

    private var sign: String {
        switch status.state {
        case .playing: "▶"
        case .paused: "‖ paused"
        default: status.state.rawValue
        }
    }
}

extension Status.State {
    /// Whether nothing can be heard for a reason that the user did not choose.
    var isFault: Bool {
        switch self {
        case .serverLost, .pausedWithoutServer, .serverHangs, .pausedWhileServerHangs,
            .reconnecting, .retrying:
            true
        default: false
        }
    }
}
