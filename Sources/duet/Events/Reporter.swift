import SystemSupport

/// Where events and the status go: a script, a log or a terminal. Used by the main thread alone.
protocol Reporter: AnyObject {
    /// Tells what happened. Like all others it waits for no reader, and throws `DuetError` when the
    /// reader is gone.
    func report(_ event: Event) throws(DuetError)
    /// Shows the state of things; called every `showInterval` seconds.
    func show(_ status: Status) throws(DuetError)
    /// A first line for people; scripts are not told.
    func greet(_ text: String) throws(DuetError)
    /// What the keys do, for people who asked for it.
    func help(_ text: String) throws(DuetError)
    /// Where all goes.
    var output: Output { get }
    /// Whether this reporter wants `levels` events.
    var wantsLevels: Bool { get }
    /// Seconds from one look at the state of things to the next.
    var showInterval: Double { get }
    /// Whether `show` does anything.
    var showsStatus: Bool { get }
    /// Leaves the cursor on a line of its own; call it before the terminal is given back.
    func finish()
    /// Draws all again, after somebody else had the terminal.
    func redraw()
}

extension Reporter {
    /// Throws `DuetError` when the reader is gone.
    func check() throws(DuetError) {
        // A stop while nobody reads is a stop, not a failure.
        if let code = output.failure, !Signals.isStopping { throw .outputLost(code) }
    }
}

extension DuetError {
    /// What a failed write to standard output means: the reader went away.
    static func outputLost(_ code: Int32) -> DuetError {
        DuetError(
            status: .inputOutput, attempt: "cannot write to standard output",
            result: errorText(code), hint: "")
    }
}
