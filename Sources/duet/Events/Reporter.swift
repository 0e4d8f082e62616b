/// Where events and the status go: a script, a log or a terminal. Used by the main thread alone.
protocol Reporter: AnyObject {
    /// Tells an event. No function of a reporter waits for the reader; those that can throw do so
    /// when the reader is gone.
    func report(_ event: Event) throws(DuetError)
    /// Shows the status; to be called every `showInterval` seconds.
    func show(_ status: Status) throws(DuetError)
    /// Writes a first line for people; scripts are not told.
    func greet(_ text: String) throws(DuetError)
    /// Shows the help on keys to people; on a terminal a second call hides it again.
    func help(_ text: String) throws(DuetError)
    /// What events and the status are written to.
    var output: Output { get }
    /// Whether this reporter wants `levels` events.
    var wantsLevels: Bool { get }
    /// Seconds from one call of `show`, or one `levels` event, to the next.
    var showInterval: Double { get }
    /// Whether `show` does anything.
    var showsStatus: Bool { get }
    /// Leaves the cursor on a line of its own; call it before the terminal is given back.
    func finish()
    /// Draws the status again, after another program has written to the terminal.
    func redraw()
}

extension Reporter {
    /// Throws `DuetError` when the reader is gone.
    func check() throws(DuetError) {
        // A user who stops the program does not care whether its output is still read.
        if let code = output.failure, !Signals.isStopping { throw .outputLost(code) }
    }

    /// Reports a warning.
    func warn(_ message: String) throws(DuetError) { try report(.warning(message: message)) }
}
