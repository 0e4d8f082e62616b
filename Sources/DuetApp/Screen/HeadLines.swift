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
        let titleWidth = CellWidth.of(state.title)
        var facts = state.view == .words ? wordsFacts(columns: most) : facts
        // What singers need least leaves for the title, too.
        while let least = facts.map(\.rank).max(), facts.count > 1 {
            let width = CellWidth.of(Self.joined(facts))
            guard width > most || least > 1 && titleWidth + width + 4 > cells.columns else { break }
            facts.removeAll { $0.rank == least }
        }
        let end = cells.columns - 1
        var column = cells.putRight(
            Self.joined(facts), row: row, end: end,
            style: status.state.isFault ? .hot : .faint)
        if let latency = status.latency, Status.isDisturbing(latency), !status.state.isFault {
            mark(latency, among: facts, from: column, into: &cells, row: row)
        }
        if let recording = status.recording {
            let left = cells.columns >= 100 && !recording.left.isEmpty ? " · \(recording.left)" : ""
            column = cells.putRight(
                "● \(recording.time)\(left)", row: row, end: column - 2, style: .hot)
        }
        cells.put(title(columns: column - 3), row: row, column: 1, style: .strong)
    }

    /// The title in so many columns: of `Artist – Title` the artist is cut first.
    private func title(columns: Int) -> String {
        let separator = " – "
        let parts = state.title.split(separator: separator, maxSplits: 1)
        guard CellWidth.of(state.title) > columns, parts.count == 2 else {
            return CellWidth.cut(state.title, columns: columns)
        }
        let artist = columns - CellWidth.of(parts[1] + separator)
        guard artist >= 4 else { return CellWidth.cut(String(parts[1]), columns: columns) }
        return CellWidth.cut(String(parts[0]), columns: artist) + separator + parts[1]
    }

    /// Marks a latency that disturbs singers, among the facts that begin at a column.
    private func mark(
        _ latency: Double, among facts: [Fact], from start: Int, into cells: inout Cells, row: Int
    ) {
        guard let place = facts.firstIndex(where: { $0.text.hasPrefix("ear ") }) else { return }
        let before = CellWidth.of(Self.joined(Array(facts[..<place])))
        let column = start + before + (place > 0 ? 3 : 0)
        cells.restyle(
            row: row, columns: column..<(column + CellWidth.of(facts[place].text)), .loud)
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
        return gaps + [(CellWidth.cut("next: \(state.next)", columns: room), 1)]
    }

    private static func joined(_ facts: [Fact]) -> String {
        facts.map(\.text).joined(separator: " · ")
    }

    /// The state, the place, the bar with the loop, and the length, or the station; at the right end the role
    /// of JACK's transport.
    ///
    /// - Returns: the columns of the bar, if there is one.
    func drawTransport(into cells: inout Cells, row: Int) -> Range<Int>? {
        var end = cells.columns - 1
        if let transport = state.transport, cells.columns >= 60 {
            end = cells.putRight(transport, row: row, end: end, style: .faint) - 2
        }
        let style: CellStyle = status.state.isFault ? .hot : .strong
        var column = cells.put(sign, row: row, column: 1, end: end, style: style)
        let place = ClockTime(seconds: status.position).description
        column = cells.put(place, row: row, column: column + 1, end: end, style: .strong)
        if let station = state.station {
            let name = station.isEmpty || station == state.title ? "" : " · \(station)"
            cells.putCut("live\(name)", row: row, column: column + 2, end: end, style: .accent)
        }
        guard let duration = status.duration, duration > 0 else { return nil }
        let length = ClockTime(seconds: duration).description
        let start = cells.putRight(length, row: row, from: column + 1, end: end)
        let bar = (column + 1)..<max(column + 1, start - 1)
        guard bar.count >= 5 else { return nil }
        draw(part: status.position / duration, into: &cells, row: row, bar)
        drawLoop(duration, into: &cells, row: row, bar)
        return bar
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

    /// Marks the ends of the loop on the bar.
    private func drawLoop(
        _ duration: Double, into cells: inout Cells, row: Int, _ bar: Range<Int>
    ) {
        for (mark, seconds) in [("[", state.loop.start), ("]", state.loop.end)] {
            guard let seconds else { continue }
            let place = Int(nearest: seconds / duration * Double(bar.count - 1))
            cells.put(
                mark, row: row, column: bar.lowerBound + min(max(0, place), bar.count - 1),
                style: .loud)
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
