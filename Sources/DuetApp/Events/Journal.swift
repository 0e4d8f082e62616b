import AudioMedia

/// Tells all listeners, in one order, what happens in a live run.
///
/// The consequences of a listener's work are told after the present news, so that all hear of both in the same order.
/// Main thread.
final class Journal: EventSink {
    enum News {
        /// Values were changed; none by a reset that found nothing to change.
        case changes([ValueChange], by: Origin)
        /// From `frame` of the graph on these values are heard.
        case heard([(parameter: MixParameter, value: Double)], frame: Int)
        /// A song's thread has told of the song on a bus.
        case song(SongEvent, bus: Int)
        case event(Event)
        /// A topic of which no earlier report is true any more.
        case settled(Topic)
    }

    private var listeners: [any JournalListener] = []
    private var waiting: [News] = []
    private var isTelling = false
    /// The first error of a listener since `check`.
    private var failure: DuetError?

    /// Adds a listener, which hears of what comes after those that were added before.
    func add(_ listener: any JournalListener) { listeners.append(listener) }

    /// Tells the listeners, even if one of them fails: `check` throws that.
    func tell(_ news: News) {
        waiting.append(news)
        guard !isTelling else { return }
        isTelling = true
        defer { isTelling = false }
        while !waiting.isEmpty {
            let news = waiting.removeFirst()
            for listener in listeners {
                do throws(DuetError) { try listener.hear(news) } catch {
                    failure = failure ?? error
                }
            }
        }
    }

    /// Throws what a listener has thrown, once.
    func check() throws(DuetError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    func report(_ event: Event) throws(DuetError) {
        tell(.event(event))
        try check()
    }

    func settle(_ topic: Topic) { tell(.settled(topic)) }
}

/// Hears of what happens in a live run. Main thread.
protocol JournalListener: AnyObject {
    /// Takes news; never waits.
    func hear(_ news: Journal.News) throws(DuetError)
}
