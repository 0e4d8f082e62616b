import AudioMedia
import SystemSupport

/// A take of this run that is played while the songs stand still, and its words.
///
/// Main thread; the thread that plays it reaches it through an inbox alone.
final class Interlude {
    /// Plays the take. Events say that it is on bus 0, whose song it stands for.
    let player: SongPlayer
    /// The folder of the take.
    let folder: FileName
    private let inbox: Inbox<SongPlayer.Message>
    private let journal: Journal
    private(set) var lyrics = SongLyrics()
    private var words: Lyrics?
    /// Whether users have paused it.
    private(set) var isPaused = false
    /// When it has faded out and may be taken away, in seconds of the clock; nil while it plays.
    private(set) var endTime: Double?
    /// Whether the songs play on after it, if users have not paused them.
    private(set) var resumesSongs = true

    /// The mix of a take as a song of `mix`.
    ///
    /// - Parameter title: what it is called.
    init(of folder: FileName, title: String, in mix: MixGraph, journal: Journal) {
        self.journal = journal
        let inbox = Inbox<SongPlayer.Message>()
        let mixFile = Location.file(folder + "/mix.wav").name
        var plan = SongPlan(songs: [mixFile], takeTitle: title)
        plan.rules.appliesGain = false
        plan.tellsOfSongs = false
        (self.folder, self.inbox) = (folder, inbox)
        player = SongPlayer(bus: 0, mixerBus: 0, plan: plan, mix: mix, inbox: inbox)
    }

    /// Readable when its thread has sent messages.
    var descriptor: Int32? { inbox.descriptor }

    var title: String { player.plan.takeTitle ?? "" }

    func start() throws(DuetError) { try player.start(report: report) }

    /// Tells what holds for the song in whose place it is: it has its own place.
    private func report(_ event: Event) throws(DuetError) {
        let names = ["playing", "paused", "seeked", "underrun", "recovered", "warning"]
        if names.contains(event.name) { try journal.report(event) }
    }

    /// Takes the messages of its thread, and begins to end when it is over.
    func handleMessages() throws(DuetError) {
        for message in inbox.take(atMost: 64).messages {
            try player.take(message, report: report)
            lyrics.take(message.event)
            if case .opened = message.event, let words { lyrics.take(.lyrics(words)) }
        }
        if player.isOver, endTime == nil {
            try player.tellFailure(report)
            endTime = Clock.seconds
        }
        if let now = player.takeNowPlaying(), let now {
            try journal.report(.nowPlaying(bus: 0, now))
        }
    }

    /// Carries out a request; false if it is meant for the songs.
    func obey(_ request: SongRequest) throws(Refusal) -> Bool {
        switch request {
        case .play(let plays): setPaused(!plays)
        case .seek(by: let seconds):
            guard player.seek(by: seconds) else { throw LiveSongs.noSong }
        case .locate(let seconds):
            guard player.seek(to: seconds) else { throw LiveSongs.noSong }
        case .loop: throw Refusal(reason: "a take that is played in between does not loop")
        case .next, .previous: return false
        }
        return true
    }

    func setWords(_ words: Lyrics) {
        self.words = words
        lyrics.take(.lyrics(words))
    }

    /// Reports the line and the word that are heard of its words. Returns the seconds until it is to be called
    /// again; nil: it has no words with times.
    func showLyrics(_ ear: Ear, offset: Double, now: Double) throws(DuetError) -> Double? {
        guard lyrics.isTimed,
            let movement = player.movement(
                period: ear.period, isRendered: ear.hears, part: nil)
        else { return nil }
        let before = lyrics.view
        let (isNew, wait) = lyrics.look(movement, at: now, delay: ear.delay, offset: offset)
        if isNew, let view = lyrics.view {
            try journal.report(
                .lyrics(
                    bus: 0, view, seconds: lyrics.heard, lines: lyrics.lines(since: before)))
        }
        return max(0.002, wait)
    }

    func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        player.setPaused(isPaused)
    }

    /// Fades out, and is over then.
    ///
    /// - Parameters:
    ///   - seconds: how long the fade takes to be rendered.
    ///   - resumesSongs: whether the songs play on.
    func fadeOut(seconds: Double, resumesSongs: Bool) {
        self.resumesSongs = self.resumesSongs && resumesSongs
        guard endTime == nil else { return }
        player.setPaused(true)
        endTime = Clock.seconds + seconds
    }
}
