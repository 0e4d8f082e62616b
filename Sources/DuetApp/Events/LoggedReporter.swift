import Logging

/// A reporter that also logs every event, with all its fields, but for what it says on the same
/// terminal or in the same file.
final class LoggedReporter: Reporter {
    private let reporter: Reporter
    private let log = Logger(label: "duet")

    /// Logs each event, then hands it to `reporter`.
    init(_ reporter: Reporter) { self.reporter = reporter }

    func report(_ event: Event) throws(DuetError) {
        let isSaidThere = event.text != nil && reporter.output === Output.error
        if log.logLevel <= event.logLevel, !isSaidThere {
            log.log(level: event.logLevel, "\(event.words)")
        }
        try reporter.report(event)
    }

    func settle(_ topic: Topic) { reporter.settle(topic) }
    var output: Output { reporter.output }
    var wantsLevels: Bool { reporter.wantsLevels }
    var showsStatus: Bool { reporter.showsStatus }
    var showsScreen: Bool { reporter.showsScreen }
    var showsTypedLine: Bool { reporter.showsTypedLine }
    var showInterval: Double { reporter.showInterval }
    func show(_ status: Status) throws(DuetError) { try reporter.show(status) }
    func show(_ screen: ScreenState) throws(DuetError) { try reporter.show(screen) }
    func greet(_ text: String) throws(DuetError) { try reporter.greet(text) }
    func turn(to page: Page?) throws(DuetError) { try reporter.turn(to: page) }
    var page: Page? { reporter.page }
    func target(row: Int, column: Int) -> ScreenTarget? {
        reporter.target(row: row, column: column)
    }
    func take(_ answer: TerminalAnswer) { reporter.take(answer) }
    func finish() { reporter.finish() }
    func redraw() { reporter.redraw() }
}
