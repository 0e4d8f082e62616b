import AudioMedia
import SystemSupport

/// Makes the backing of songs of the list, one after the other, in the background: of those that a user asks
/// for, or of all that come.
///
/// Main thread, but for the work itself.
final class BackingMaker {
    /// What makes it.
    struct Plan: Sendable {
        /// The user's own command; nil: what is installed.
        var command: SeparatorCommand?
        /// Whether every song that comes is taken apart.
        var isForAll = false
        /// Nil: nothing is kept, so nothing is made.
        var cache: StemsCache?
        /// Whether a take, or the demo, is played: its song is taken as it is.
        var isOff = false
    }

    private struct Job {
        /// That of the song in its list.
        let id: Int
        let location: Location
        let text: String
        /// Whether a user has asked for it.
        let isDemanded: Bool
    }

    private enum Message: Sendable {
        case stage(SongSeparator.Stage)
        case outcome(SongSeparator.Outcome)
        /// There is no separator.
        case missing
    }

    /// The job that is under way.
    private final class Work {
        let job: Job
        let isCancelled = CancelFlag()
        var shown = -1
        init(_ job: Job) { self.job = job }
    }

    private final class CancelFlag: Sendable {
        private let flag = Guarded(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    /// Seconds from one look at the list to the next.
    private static let interval = 1.0
    /// So many songs ahead are made, with the one that is heard.
    private static let mostAhead = 8

    private let plan: Plan
    private let songs: LiveSongs
    private let journal: Journal
    private let inbox = Inbox<Message>()
    private var waiting: [Job] = []
    private var work: Work?
    /// The songs that were looked at without a demand.
    private var seen: Set<Int> = []
    private var lookTime = 0.0
    /// Whether no separator was found.
    private var isMissing = false
    /// The version of the list that was looked at for songs that are gone.
    private var seenVersion: Int?

    init(_ plan: Plan, songs: LiveSongs, journal: Journal) {
        (self.plan, self.songs, self.journal) = (plan, songs, journal)
    }

    // MARK: Asking

    /// Makes the backing of the song that is selected in the list, or gives that up.
    ///
    /// - Returns: what the user is told.
    func toggleSelected() throws(Refusal) -> String {
        guard !plan.isOff else {
            throw Refusal(reason: "the songs of takes and of the demo stay as they are")
        }
        let id = try songs.list.selectedSong()
        guard let song = songs.main.queue?.listedSong(id) else { throw LiveSongs.noSong }
        if let work, work.job.id == id {
            work.isCancelled.set()
            return "cancelled: the backing of \(song.text)"
        }
        if let place = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: place)
            tell(song, .cancelled)
            return "cancelled: the backing of \(song.text)"
        }
        if songs.list.backing(ofSong: id) == BackingState.made.mark {
            return "\(song.text) has a backing already"
        }
        guard plan.cache != nil else {
            throw Refusal(reason: "nothing is kept in this run (--no-memory)")
        }
        guard case .file = song.location else {
            throw Refusal(reason: "only songs in files can be taken apart")
        }
        waiting.append(
            Job(id: id, location: song.location, text: song.text, isDemanded: true))
        tell(song, .waiting)
        beginNext()
        return "making the backing of \(song.text)"
    }

    /// What the song is called whose backing is being made; nil: none is.
    var underWay: String? { work?.job.text }

    // MARK: Turns

    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    var secondsLeft: Double { looks ? lookTime - Clock.seconds : .infinity }

    /// Whether songs are taken that nobody has asked for.
    private var looks: Bool {
        plan.isForAll && !plan.isOff && plan.cache != nil && !isMissing
    }

    func update() throws(DuetError) {
        for message in inbox.take().messages { try take(message) }
        leaveRemoved()
        guard looks, Clock.seconds >= lookTime else { return }
        lookTime = Clock.seconds + Self.interval
        if work == nil, waiting.isEmpty { look() }
    }

    /// What was removed from the list is not made.
    private func leaveRemoved() {
        guard work != nil || !waiting.isEmpty, let queue = songs.main.queue else { return }
        guard queue.listVersion != seenVersion else { return }
        seenVersion = queue.listVersion
        waiting.removeAll { queue.listedSong($0.id) == nil }
        if let work, queue.listedSong(work.job.id) == nil { work.isCancelled.set() }
    }

    func finish() {
        waiting = []
        work?.isCancelled.set()
        // What was begun ends with its program; nothing of it is to stay.
        _ = PolledWait.run(milliseconds: 4000, interval: 20) { [self] in
            for message in inbox.take().messages {
                switch message {
                case .stage: break
                case .outcome, .missing: work = nil
                }
            }
            return work == nil
        }
    }

    /// Takes the next song on that was not looked at.
    private func look() {
        guard let queue = songs.main.queue, let playing = songs.list.playing else { return }
        for number in playing..<(playing + Self.mostAhead) {
            guard let id = queue.song(at: number), seen.insert(id).inserted,
                let song = queue.listedSong(id), case .file = song.location
            else { continue }
            waiting.append(
                Job(id: id, location: song.location, text: song.text, isDemanded: false))
            return beginNext()
        }
    }

    private func beginNext() {
        guard work == nil, let cache = plan.cache, !waiting.isEmpty else { return }
        let current = Work(waiting.removeFirst())
        let (job, inbox, flag) = (current.job, inbox, current.isCancelled)
        let command = plan.command
        let code = DetachedThread.start("separate", stack: .libraries) {
            DetachedThread.stepBack()
            guard let separator = Separator.find(own: command) else {
                return inbox.post(.missing)
            }
            let outcome = SongSeparator(separator: separator, cache: cache).run(
                job.location, stage: { inbox.post(.stage($0)) }, unless: { flag.isSet })
            inbox.post(.outcome(outcome))
        }
        work = current
        if code != 0 { inbox.post(.outcome(.failed(errorText(code)))) }
    }

    private func take(_ message: Message) throws(DuetError) {
        guard let work, let song = songs.main.queue?.listedSong(work.job.id) else {
            if case .stage = message { return }
            return endWork()
        }
        switch message {
        case .stage(.separates(let part?)):
            let percent = Int(nearest: part * 100)
            guard percent != work.shown else { return }
            work.shown = percent
            tell(song, .separating(percent))
        case .stage(.reads): tell(song, .reading)
        case .stage(.separates): tell(song, .separating(nil))
        case .stage(.fits): tell(song, .fitting)
        case .missing:
            let job = work.job
            endWork()
            tell(
                song, job.isDemanded ? .failed : nil, reason: Separator.missing(plan.command))
            guard !job.isDemanded, !isMissing else { return }
            isMissing = true
            try journal.warn("--separate does nothing: \(Separator.missing(plan.command))")
        case .outcome(let outcome):
            endWork()
            switch outcome {
            case .made(let folder):
                songs.main.queue?.lookForStems()
                tell(song, .made, file: folder)
            case .had: tell(song, work.job.isDemanded ? .had : nil)
            case .failed(let reason): tell(song, .failed, reason: reason)
            case .cancelled: tell(song, .cancelled)
            }
        }
    }

    private func endWork() {
        work = nil
        beginNext()
    }

    private func tell(
        _ song: ListedSong, _ state: BackingState?, file: FileName? = nil, reason: String? = nil
    ) {
        songs.list.note(backing: state?.mark, ofSong: song.id)
        guard let state else { return }
        try? journal.report(.backing(of: song, state, file: file, reason: reason))
    }
}
