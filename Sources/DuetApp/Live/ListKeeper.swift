import AudioMedia
import Glibc
import SystemSupport

/// Writes the list of the run, with its place, its singers and the mix, as it changes: a later run can go on
/// with it, also when this one is killed.
///
/// Main thread; files are written on others.
final class ListKeeper: LivePart, JournalListener {
    /// Seconds from a change to its writing, and from one place in a song to the next.
    private static let (delay, placeInterval) = (1.0, 15.0)
    /// Seconds for which a list that was left is offered.
    private static let offered = 86_400

    private let store: ListStore
    private let capture: RunCapture
    private let songs: LiveSongs
    private let journal: Journal
    private let disk: DiskWorker
    /// The list that this run goes on with, until its own is written.
    private var resumed: ListStore.Kept?
    private var written: SessionState?
    private var dueTime = 0.0
    private var isUnderWay = false
    private var isFailureTold = false

    init(
        _ store: ListStore, resumed: ListStore.Kept?, capture: RunCapture, songs: LiveSongs,
        journal: Journal, disk: DiskWorker
    ) {
        (self.store, self.resumed, self.capture) = (store, resumed, capture)
        (self.songs, self.journal, self.disk) = (songs, journal, disk)
        if resumed == nil { offer() }
    }

    /// Says that a list was left, where that was not long ago.
    private func offer() {
        let now = time(nil)
        disk.run(on: .lists, isAwaited: false, { [store] in store.newest() }) {
            [journal] result throws(DuetError) in
            guard let kept = try? result.get(), now - kept.time < Self.offered else { return }
            let (song, count) = kept.place
            let songs = count == 1 ? "1 song" : "\(count) songs, at song \(song)"
            try journal.report(
                .notice(
                    message: "your last list is kept (\(songs)): 'duet --resume' goes on with it"))
        }
    }

    func hear(_ news: Journal.News) {
        switch news {
        case .changes: break
        case .event(let event) where Self.telling.contains(event.name): break
        case .event, .heard, .song, .settled: return
        }
        dueTime = min(dueTime, Clock.seconds + Self.delay)
    }

    /// Names of the events after which the list, its place or the connections are others.
    private static let telling: Set = [
        "list", "source", "playing", "paused", "seeked", "connected", "disconnected",
    ]

    var secondsLeft: Double { isUnderWay ? .infinity : dueTime - Clock.seconds }

    func update() throws(DuetError) {
        if !isUnderWay, Clock.seconds >= dueTime { write() }
    }

    func finish() throws(DuetError) {
        write()
        guard isWorthIt, written != nil else { return }
        try journal.report(.listKept(count: songs.list.count))
    }

    /// Whether the list was played to its end. Songs that could not be played, as those of a drive that is
    /// gone, are no end.
    private var isOver: Bool { songs.areOver && songs.failure == nil && songs.main.heard != nil }

    /// Whether the list is worth resuming: several songs, of which one is to come or is not over.
    private var isWorthIt: Bool { songs.list.count > 1 && !isOver }

    private func write() {
        dueTime = Clock.seconds + Self.placeInterval
        guard isWorthIt else {
            // The resumed list ends with this one.
            guard isOver, written != nil || resumed != nil else { return }
            let resumed = resumed
            (written, self.resumed) = (nil, nil)
            return disk.run(
                on: .lists,
                { [store] in
                    store.removeOwn()
                    if let resumed { store.remove(resumed) }
                }, then: { _ in })
        }
        let state = capture.state(wholeList: true).portable
        guard state != written else { return }
        let old = resumed
        (written, resumed, isUnderWay) = (state, nil, true)
        disk.run(
            on: .lists,
            { [store] in
                let problem = store.write(state)
                // Only what is written takes the place of what was kept.
                if problem == nil, let old { store.remove(old) }
                return problem
            },
            then: { [self] result throws(DuetError) in
                isUnderWay = false
                guard case .success(let problem?) = result, !isFailureTold else { return }
                isFailureTold = true
                try journal.warn("the list is not kept: \(problem)")
            })
    }
}
