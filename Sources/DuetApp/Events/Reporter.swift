/// Where events and the status go: a script, a log or a terminal. No function of a reporter waits for the
/// reader; those that can throw do so when the reader is gone.
protocol Reporter: EventSink, JournalListener {
    /// Shows the status; to be called every `showInterval` seconds.
    func show(_ status: Status) throws(DuetError)
    /// Shows the screen, in place of the status; to be called where `showsScreen` is true.
    func show(_ screen: ScreenState) throws(DuetError)
    /// Writes a first line for people; scripts are not told.
    func greet(_ text: String) throws(DuetError)
    /// Shows a page to people, or hides it where it is shown; nil: hides the page that is shown, or
    /// where there is none, what stays on the screen until it was seen.
    func turn(to page: Page?) throws(DuetError)
    /// The page that is shown; nil: none is.
    var page: Page? { get }
    /// What of the screen is at a place; rows and columns count from 0. Nil: nothing.
    func target(row: Int, column: Int) -> ScreenTarget?
    /// What events and the status are written to.
    var output: Output { get }
    /// Whether this reporter wants `levels` events.
    var wantsLevels: Bool { get }
    /// Seconds from one call of `show`, or one `levels` event, to the next.
    var showInterval: Double { get }
    /// Whether `show` does anything.
    var showsStatus: Bool { get }
    /// Whether there is a screen for more than the status.
    var showsScreen: Bool { get }
    /// Whether the status shows the line that users type into.
    var showsTypedLine: Bool { get }
    /// Takes what the terminal has answered.
    func take(_ answer: TerminalAnswer)
    /// Leaves the cursor on a line of its own; call it before the terminal is given back.
    func finish()
    /// Draws the status again, after another program has written to the terminal, or after a change of
    /// its size.
    func redraw()
}

extension Reporter {
    func settle(_ topic: Topic) {}
    var showsScreen: Bool { false }
    var showsTypedLine: Bool { false }
    var page: Page? { nil }
    func target(row: Int, column: Int) -> ScreenTarget? { nil }
    func show(_ screen: ScreenState) throws(DuetError) { try show(screen.status) }
    func take(_ answer: TerminalAnswer) {}

    /// Throws `DuetError` when the reader is gone.
    func check() throws(DuetError) {
        // A user who stops the program does not care whether its output is still read.
        if let code = output.failure, !Signals.isStopping { throw .outputLost(code) }
    }

    func hear(_ news: Journal.News) throws(DuetError) {
        switch news {
        case .event(let event): try report(event)
        case .settled(let topic): settle(topic)
        case .changes, .heard, .song: break
        }
    }
}
