import Logging

/// Logs every event, with all its fields, but for what a reporter says on the same terminal or in the same
/// file.
final class EventLog: JournalListener {
    private let log = Logger(label: "duet")
    private let isBesideText: Bool

    init(beside reporter: any Reporter) { isBesideText = reporter.output === Output.error }

    func hear(_ news: Journal.News) {
        guard case .event(let event) = news, log.logLevel <= event.logLevel,
            event.text == nil || !isBesideText
        else { return }
        log.log(level: event.logLevel, "\(event.words)")
    }
}

extension Journal {
    /// Tells a reporter, and the log before.
    convenience init(reporter: any Reporter) {
        self.init()
        add(EventLog(beside: reporter))
        add(reporter)
    }
}
