import SystemSupport

/// Writes events for a script, a log or a person at a terminal. Never waits for the reader; throws when he is
/// gone.
protocol Reporter: EventSink, JournalListener {
    /// The output that it writes to.
    var output: Output { get }
}

extension Reporter {
    func settle(_ topic: Topic) {}

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
