import SystemSupport

/// Reports to a person at a terminal: a screen with levels, place and keys, and a log of what was
/// reported. Before it stands, and while the terminal is too small for it, lines and a status line.
final class ScreenReporter: Reporter, View {
    let showsScreen = true
    let showsTypedLine = true
    var output: Output { plain.output }
    /// Thirty a second while something moves.
    private(set) var showInterval = ScreenState().interval

    /// Events that say what stands at the top of the screen.
    private static let shownAbove: Set<String> = ["source", "tags", "title", "playing"]

    /// Events, but for warnings, whose lines await their turn.
    private static let awaited: Set<String> = ["remembered", "take", "warning", "wordsFetch"]

    private let plain: PlainReporter
    private var look: TerminalLook
    /// How letters are drawn where the user has chosen; nil: as the terminal can.
    private let lettersChoice: LetterWays.Way?
    private let helpOnKeys: [KeyHelp]
    private let hints: [KeyHelp]
    /// The key that shows the lyrics; nil: none does.
    private let lyricsKey: String?
    private var log: ScreenLog
    /// The page that the screen shows; nil while it does not stand.
    var page: Page? { stands ? openPage : nil }
    /// The page that the screen shows where it stands.
    private var openPage: Page?
    /// Which part of the page is shown, from 0, and whether another follows.
    private var (part, hasMore) = (0, false)
    /// The view that the user has chosen; nil: none, and it depends on the song.
    var chosenView: ScreenView?
    /// What was shown last, and what can be pointed at in it.
    private var state: ScreenState?
    private var targets: [ScreenTarget] = []
    /// Whether the screen is drawn.
    private var stands = false
    /// What is to be read when the screen is gone.
    private var farewells: [Event.Farewell] = []
    /// Whether a status or the screen was shown.
    private var hasShown = false
    /// What the terminal has told of itself.
    private var terminal = TerminalFacts()
    /// Whether it is not known what the terminal shows.
    private var isUnknown = false

    init(
        keys: KeyTable, look: TerminalLook, letters: LetterWays.Way? = nil,
        output: Output = .standard
    ) {
        lettersChoice = letters
        let shown = { (keys: [KeyHelp]) in
            keys.map { key in
                var key = key
                key.keys = look.namingArrows(key.keys)
                return key
            }
        }
        plain = PlainReporter(keys: keys.help, look: look, output: output)
        (helpOnKeys, hints) = (shown(keys.groups), shown(keys.hints))
        lyricsKey = keys.name(of: Page.lyrics)
        log = ScreenLog(detailsKey: keys.name(of: Page.details))
        self.look = look
    }

    func greet(_ text: String) throws(DuetError) {
        log.add(text, .greeting, now: Clock.seconds)
    }

    func settle(_ topic: Topic) { log.settle(topic) }

    func report(_ event: Event) throws(DuetError) {
        try check()
        if let farewell = event.farewell {
            farewells.removeAll { $0.of == farewell.of }
            if stands { farewells.append(farewell) }
        }
        guard let text = event.text else {
            if let topic = event.topic { log.settle(topic) }
            return
        }
        // The page of details will have it, or the lines above the status.
        if !stands, hasShown || event.logLevel >= .warning { try plain.report(event) }
        let kind: ScreenLog.Kind =
            event.logLevel >= .warning
            // What is about the song comes before what holds for every song.
            ? (stands && event.topic != .realtime ? .warning : .early)
            // One that comes before the screen stands waits for it, unless it was printed.
            : (stands || !hasShown) && Self.awaited.contains(event.name) ? .notice : .line
        log.add(
            text, kind, about: event.topic,
            isSeen: Self.shownAbove.contains(event.name), now: Clock.seconds)
        // What was written by itself needs not be written again.
        if !stands { _ = log.takeWarnings() }
    }

    func turn(to page: Page?) throws(DuetError) {
        guard stands else {
            guard page == nil || page == .help else {
                let least = ScreenLayout.smallest
                return try plain.say(
                    "the terminal is too small: the screen needs \(least.columns) columns and "
                        + "\(least.rows) rows")
            }
            return try plain.turn(to: page)
        }
        if page == nil, openPage == nil { log.dismiss() }
        let goesOn = page != nil && openPage == page && hasMore
        part = goesOn ? part + 1 : 0
        openPage = openPage == page && !goesOn ? nil : page
    }

    func changeView() -> String? {
        let (least, size) = (SingingView.smallest, Terminal.size(of: output.descriptor))
        guard stands, let size, SingingView.fits(columns: size.columns, rows: size.rows) else {
            return "large words need a terminal of \(least.columns) columns and \(least.rows) rows"
        }
        // Behind a page it is what was there before.
        if openPage != nil {
            openPage = nil
        } else {
            chosenView = view(of: state) == .words ? .mixer : .words
        }
        return nil
    }

    /// What fills the screen: without words there is nothing for singers.
    private func view(of screen: ScreenState?) -> ScreenView {
        hasWords(screen) ? chosenView ?? .words : .mixer
    }

    private func hasWords(_ screen: ScreenState?) -> Bool {
        screen?.picture != nil || screen?.lyrics?.isTimed == true || screen?.turn != nil
    }

    func target(row: Int, column: Int) -> ScreenTarget? {
        stands ? targets.first { $0.contains(row: row, column: column) } : nil
    }

    func show(_ status: Status) throws(DuetError) {
        try check()
        var screen = state ?? ScreenState()
        screen.status = status
        try show(screen)
    }

    func show(_ screen: ScreenState) throws(DuetError) {
        try check()
        state = screen
        defer { hasShown = true }
        let size = Terminal.size(of: output.descriptor) ?? ScreenLayout.smallest
        let isLargeEnough =
            size.columns >= ScreenLayout.smallest.columns && size.rows >= ScreenLayout.smallest.rows
        guard isLargeEnough, !Terminal.isInBackground(output.descriptor) else {
            leave()
            showInterval = plain.showInterval
            if !hasShown {
                for line in log.lines where !line.isWarning { try plain.say(line.text) }
            }
            return try plain.show(screen.status)
        }
        showInterval = screen.interval
        if !stands { plain.finish() }
        let layout = layout(screen, columns: size.columns, rows: size.rows)
        (targets, hasMore) = (layout.targets, layout.hasMore)
        var cells = layout.cells
        cells.asks = !terminal.isComplete && hasWords(screen)
        output.show(isUnknown ? .showsAnew(cells) : .shows(cells))
        (stands, isUnknown) = (true, false)
    }

    private func layout(_ screen: ScreenState, columns: Int, rows: Int) -> ScreenLayout {
        var screen = screen
        screen.keys = helpOnKeys
        screen.hints =
            openPage?.type.hints ?? KeyTable.own(of: openPage)?.groups ?? hints
        screen.log = log.lines
        screen.newestLine = log.freshLine(now: Clock.seconds)
        (screen.page, screen.part, screen.view) = (openPage, part, view(of: screen))
        (screen.lyricsKey, screen.addKey) = (lyricsKey, KeyTable.list.name(of: .typeSong))
        if screen.picture != nil {
            screen.graphics = terminal.graphics(cell: Terminal.cell(of: output.descriptor))
        }
        screen.letters = LetterWays(on: terminal, choice: lettersChoice)
        return ScreenLayout(screen, columns: columns, rows: rows, look: look)
    }

    func take(_ answer: TerminalAnswer) {
        terminal.take(answer, columns: Terminal.size(of: output.descriptor)?.columns ?? 0)
        if terminal.isComplete { look.ground = terminal.ground }
    }

    /// Gives the terminal's screen back. Below what it showed before stand the warnings that were on
    /// the screen alone.
    private func leave() {
        guard stands else { return }
        output.show(ScreenArea.Change.left)
        stands = false
        for warning in log.takeWarnings() { try? plain.say(warning) }
    }

    /// The last status stands below the warnings.
    func finish() {
        guard stands else { return plain.finish() }
        leave()
        let columns = Terminal.size(of: output.descriptor)?.columns ?? .max
        for line in farewells.suffix(20).flatMap(\.lines) { try? plain.say(line) }
        if let state { try? plain.say(state.status.line(columns: columns)) }
    }

    func redraw() {
        isUnknown = true
        if stands {
            if let state { try? show(state) }
        } else {
            plain.redraw()
        }
    }
}
