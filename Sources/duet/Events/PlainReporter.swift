import Glibc

/// For people: lines about what happened, and one status line: redrawn in place on a terminal;
/// elsewhere a new line when the state changes and every ten seconds.
final class PlainReporter: Reporter {
    let wantsLevels = false
    let showsStatus = true
    /// Nobody watches a log: each look there costs time that the music could have.
    var showInterval: Double { output.isTerminal ? 0.2 : 1 }
    private let output: Output
    private var lastStatus: Status?
    /// The line as it stands on the terminal; empty when there is none.
    private var drawn = ""
    private var writtenAt = -Double.infinity

    /// What the keys do, said at the start on a terminal; nil: it is not.
    private let keys: String?

    init(greetingKeys keys: String? = nil, output: Output = .standard) {
        self.keys = keys
        self.output = output
    }

    func greet(_ text: String) throws(DuetError) {
        try say(text)
    }

    func help(_ text: String) throws(DuetError) {
        try say(Self.wrapped(text, columns: columns))
    }

    func report(_ event: Event) throws(DuetError) {
        guard let text = EventText.text(event) else { return }
        try say(text)
        if case .ready = event, let keys, output.isTerminal { try help(keys) }
    }

    /// Writes a line above the status line.
    func say(_ text: String) throws(DuetError) {
        try write((drawn.isEmpty ? "" : "\r\u{1B}[J") + text + "\n")
        guard output.isTerminal, let lastStatus else { return }
        drawn = ""
        try show(lastStatus)
    }

    func show(_ status: Status) throws(DuetError) {
        defer { lastStatus = status }
        if output.isTerminal {
            // One column stays free: a full last column would wrap the line on some terminals.
            let line = String(status.line.prefix(max(1, columns - 1)))
            guard line != drawn else { return }
            // The cursor goes back to the line's start: a terminal made narrower, which wraps the
            // line, keeps it there, and the next drawing clears all of it.
            try write("\r\(line)\u{1B}[J\r")
            drawn = line
        } else if status.state != .stopping {
            let now = Clock.seconds
            let isNews = status.state != lastStatus?.state || status.note != lastStatus?.note
            guard
                (isNews && (status.note != nil || status.state != lastStatus?.state))
                    || now - writtenAt >= 10
            else { return }
            writtenAt = now
            try write(status.line + "\n")
        }
    }

    func finish() {
        guard !drawn.isEmpty else { return }
        drawn = ""
        lastStatus = nil
        output.write("\n")
    }

    func redraw() {
        drawn = ""
    }

    private var columns: Int { Terminal.columns(of: output.descriptor) ?? 80 }

    /// `text` in lines shorter than `columns`, broken where " · " parts it.
    static func wrapped(_ text: String, columns: Int) -> String {
        var lines: [String] = []
        for part in text.split(separator: " · ") {
            if let last = lines.last, last.count + 3 + part.count < columns {
                lines[lines.count - 1] += " · " + part
            } else {
                lines.append(String(part))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func write(_ text: String) throws(DuetError) {
        guard output.write(text) else {
            if Signals.isStopping { return }
            throw .outputLost(errno)
        }
    }
}
