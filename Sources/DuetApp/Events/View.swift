/// The part of a run that people see and point at: a screen, or a status below the lines of events. No function
/// waits for the reader; those that can throw do so when he is gone.
protocol View: AnyObject {
    /// Shows the status; to be called every `showInterval` seconds.
    func show(_ status: Status) throws(DuetError)
    /// Shows the screen, in place of the status; to be called where `showsScreen` is true.
    func show(_ screen: ScreenState) throws(DuetError)
    /// Seconds from one call of `show` to the next.
    var showInterval: Double { get }
    /// Whether there is a screen for more than the status.
    var showsScreen: Bool { get }
    /// Whether the status shows the line that users type into.
    var showsTypedLine: Bool { get }
    /// Takes a note, which the status shows only until the next one.
    func note(_ text: String)
    /// Takes a change of the line that users type into; nil: they do not type.
    func showTyped(_ line: TypedLine?)
    /// Writes a first line.
    func greet(_ text: String) throws(DuetError)
    /// Shows a page, or hides it where it is shown; nil hides the page that is shown, or where there is none,
    /// what stays on the screen until it was seen.
    func turn(to page: Page?) throws(DuetError)
    /// Shows the words large, or the mixer again; a page is closed. Returns why it could not; nil: it
    /// could.
    func changeView() -> String?
    /// The view that the user has chosen; nil: none was, and it depends on the song.
    var chosenView: ScreenView? { get set }
    /// The page that is shown; nil if none is.
    var page: Page? { get }
    /// The part of the screen at a place, if any; rows and columns count from 0.
    func target(row: Int, column: Int) -> ScreenTarget?
    /// Takes what the terminal has answered.
    func take(_ answer: TerminalAnswer)
    /// Leaves the cursor on a line of its own; call it before the terminal is given back.
    func finish()
    /// Draws the status again, after another program has written to the terminal, or after a change of
    /// its size.
    func redraw()
}

extension View {
    var showsScreen: Bool { false }
    var showsTypedLine: Bool { false }
    var page: Page? { nil }
    func note(_ text: String) {}
    func showTyped(_ line: TypedLine?) {}
    func changeView() -> String? { "large words need the screen" }
    var chosenView: ScreenView? {
        get { nil }
        set {}
    }
    func target(row: Int, column: Int) -> ScreenTarget? { nil }
    func show(_ screen: ScreenState) throws(DuetError) { try show(screen.status) }
    func take(_ answer: TerminalAnswer) {}
}
