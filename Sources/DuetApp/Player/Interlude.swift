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
    init(of folder: FileName, title: String, in mix: MixGraph) {
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

    /// Takes the messages of its thread, and begins to end when it is over.
    ///
    /// - Parameter report: takes its events, as far as they are told.
    func handleMessages(_ report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        for message in inbox.take(atMost: 64).messages {
            try player.take(message, report: report)
            lyrics.take(message.event)
            if case .opened = message.event, let words { lyrics.take(.lyrics(words)) }
        }
        guard player.isOver, endTime == nil else { return }
        try player.tellFailure(report)
        endTime = Clock.seconds
    }

    func setWords(_ words: Lyrics) {
        self.words = words
        lyrics.take(.lyrics(words))
    }

    /// Looks at what is heard of its words: see `SongLyrics.look`.
    func look(
        _ movement: SongLyrics.Movement, at now: Double, delay: Double, offset: Double
    ) -> (isNew: Bool, next: Double) {
        lyrics.look(movement, at: now, delay: delay, offset: offset)
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
