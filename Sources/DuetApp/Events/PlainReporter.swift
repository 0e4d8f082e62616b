import SystemSupport

/// Reports to people: a line for each event, and the status below them, which is drawn in place. Where
/// that cannot be, or is not wanted, what changes of the status is a line, once.
final class PlainReporter: Reporter, View {
    /// Seldom where nothing is drawn in place: nobody watches a log, and each look at the state takes
    /// time from the songs.
    var showInterval: Double { drawsInPlace ? 0.2 : 1 }
    let output: Output
    private var lastStatus: Status?
    /// Whether the help on keys is shown below the status.
    private var showsHelp = false
    /// How far a file was when that was written last: the part, in tenths, and after how many seconds.
    private var written = (tenths: 0, elapsed: 0.0)
    private var echo = TypedEcho()

    /// The help on keys, a line for each group.
    private let keys: [String]
    /// Whether it is printed once at the start.
    private let greetsWithKeys: Bool
    /// What the terminal can show, where output is one.
    private let look: TerminalLook
    /// Whether the status is drawn in place where that can be.
    private let redraws: Bool
    private var drawsInPlace: Bool { showsTypedLine && redraws }
    var showsTypedLine: Bool { output.isTerminal && !look.isDumb }

    init(
        keys: [String] = [], greetsWithKeys: Bool = false, redraws: Bool = true,
        look: TerminalLook, output: Output = .standard
    ) {
        self.redraws = redraws
        self.keys = keys
        self.greetsWithKeys = greetsWithKeys
        self.look = look
        self.output = output
    }

    func greet(_ text: String) throws(DuetError) {
        try say(text)
    }

    func report(_ event: Event) throws(DuetError) {
        try check()
        guard let text = event.text ?? (drawsInPlace ? nil : event.statusText) else { return }
        try say(text)
        if event.name == "ready", greetsWithKeys, output.isTerminal { try sayKeys() }
    }

    private func sayKeys() throws(DuetError) {
        for line in keys { try say(line) }
    }

    /// Writes a line above the status; `text` may quote others.
    func say(_ text: String) throws(DuetError) {
        try check()
        let text = SafeText.withoutCredentials(text)
        let columns = drawsInPlace ? size.columns : .max
        write(wrapped(text, columns: columns).joined(separator: "\n"))
    }

    private func write(_ line: String) { put(echo.end() + line + "\n") }

    private func put(_ text: String) {
        if !text.isEmpty { output.write(output.isTerminal ? look.shown(text) : text) }
    }

    func note(_ text: String) {
        if !drawsInPlace { write(text) }
    }

    func showTyped(_ line: TypedLine?) {
        if !drawsInPlace { put(echo.take(line)) }
    }

    func turn(to page: Page?) throws(DuetError) {
        switch page {
        case .help where drawsInPlace: showsHelp.toggle()
        case .help: try sayKeys()
        case nil: showsHelp = false
        default: try say("this page needs the screen; start without --plain")
        }
        if let lastStatus { try show(lastStatus) }
    }

    func show(_ status: Status) throws(DuetError) {
        try check()
        defer { lastStatus = status }
        guard drawsInPlace else { return tell(status) }
        // In the background the status would be drawn into what the user types to the shell.
        output.show(Terminal.isInBackground(output.descriptor) ? .left() : .lines(area(status)))
    }

    /// The status line, and below it the line of the song that is sung, the note of the last key and
    /// the help on keys, if there are any.
    private func area(_ status: Status) -> [String] {
        let (columns, rows) = size
        var lines = [
            status.elapsed == nil
                ? status.line(columns: columns) : status.progressLine(columns: columns)
        ]
        if let lyrics = status.lyrics { lines.append(Self.cut(lyrics, columns: columns)) }
        let texts = [status.note, status.typed, status.typedNote].compactMap { $0 }
        for text in texts + (showsHelp ? keys : []) { lines += wrapped(text, columns: columns) }
        return lines.prefix(max(1, rows - 1)).map(look.shown)
    }

    /// Writes what no event and no note on a key tells: the end, a standing note, and how a file gets on.
    private func tell(_ status: Status) {
        let isNew = status.state != lastStatus?.state
        if let elapsed = status.elapsed {
            let tenths = Int((status.part ?? 1) * 10)
            guard
                isNew
                    || elapsed >= written.elapsed + 10
                        && (status.part == nil || tenths > written.tenths)
            else { return }
            written = (tenths, elapsed)
            return write(status.progressLine(hasBar: false))
        }
        if isNew, [.ended, .stopping, .stopped].contains(status.state) { write(status.shortLine) }
        // Each retry is an event.
        let note = status.standingNote.flatMap { $0.contains("; retrying ") ? nil : $0 }
        if let note, note != lastStatus?.standingNote { write(note) }
    }

    func finish() {
        if !drawsInPlace { put(echo.end()) }
        // The last line is the status, not the help below it.
        if showsHelp, let lastStatus, drawsInPlace {
            showsHelp = false
            output.show(.lines(area(lastStatus)))
        }
        output.show(.left())
    }

    func redraw() {
        guard let lastStatus, drawsInPlace, !Terminal.isInBackground(output.descriptor)
        else { return }
        output.show(.linesAnew(area(lastStatus)))
    }

    private var size: (columns: Int, rows: Int) {
        Terminal.size(of: output.descriptor) ?? (80, 24)
    }

    /// The beginning of `text` that surely takes fewer than `columns` columns: where terminals differ
    /// in the width of a character, one more is counted.
    static func cut(_ text: String, columns: Int) -> String {
        var room = columns - 1
        var shown = ""
        for character in text {
            let width = CellWidth.of(character)
            guard width > 0, let first = character.unicodeScalars.first else { continue }
            let isCluster = character.unicodeScalars.count > 1
            room -= width + (CellWidth.isDoubtful(first.value, isCluster: isCluster) ? 1 : 0)
            guard room >= 0 else { break }
            shown.append(character)
        }
        return shown
    }
}
