import AudioMedia
import SystemSupport

/// Gives the words of the song that plays their times, as a user taps along, and keeps them: what is marked
/// is shown at once.
///
/// Main thread; the disk is not waited for.
final class WordsTapper: JournalListener, LivePart {
    /// The song whose words are timed.
    private struct Session {
        let song: WordsFetcher.HeardSong
        var timing: LyricsTiming
        /// Where the words were put; nil before they are.
        var file: FileName?
        /// Whether something was marked that is not written yet.
        var isChanged = false
        /// When it is written, in seconds of the clock; nil: nothing is to be.
        var due: Double?
    }

    /// Seconds from a mark to when it is written.
    private static let patience = 2.0
    /// Seconds that are heard before the place where marks go on.
    private static let lead = 3.0

    private let songs: LiveSongs
    private let mix: LiveMix
    private let words: WordsFetcher
    /// Where words are put that cannot be beside their song; nil: nowhere.
    private let store: WordsCache?
    private let journal: Journal
    private let disk: DiskWorker
    private let tempo: MixParameter?
    /// Nil: nothing is timed.
    private var session: Session?
    /// The tempo before the song was slowed down; nil while it is not.
    private var fullTempo: Double?
    private var isSongOver = false

    init(
        mix: LiveMix, words: WordsFetcher, store: WordsCache?, journal: Journal, disk: DiskWorker
    ) {
        (self.mix, songs, self.words) = (mix, mix.songs, words)
        (self.store, self.journal, self.disk) = (store, journal, disk)
        tempo = mix.plan.vocabulary.parameter("/song/tempo")
    }

    // MARK: Asking

    /// Begins to time the words of the song that plays, if that is not done already.
    func open() throws(Refusal) {
        let song = try words.heardSong()
        if let session, session.song.number == song.number { return }
        guard let lyrics = songs.lyrics[0].lyrics else {
            throw Refusal(reason: "this song has no words that could be timed")
        }
        guard let timing = LyricsTiming(lyrics) else {
            throw Refusal(reason: "each word of this song has its time")
        }
        leave()
        session = Session(song: song, timing: timing)
    }

    /// Does what a key of the page asks for.
    ///
    /// - Returns: where the song is to go on, in its seconds, and what the user is told; nil: nowhere, and
    ///   nothing.
    func obey(_ trigger: Trigger) throws(Refusal) -> (place: Double?, note: String?) {
        try open()
        guard var timing = session?.timing else { return (nil, nil) }
        let place = heardPlace
        switch trigger {
        case .tap:
            if timing.unit == .lines, timing.hasAllLines, timing.next(at: place) == nil {
                return goOn(timing.beginWords(), with: timing)
            }
            guard !songs.isPaused else { throw Refusal(reason: "the song stands still") }
            guard timing.mark(at: place) else {
                throw Refusal(reason: "there is nothing to mark here")
            }
        case .tapEnd:
            guard timing.markEnd(at: place) else {
                throw Refusal(reason: "no line was marked that could end here")
            }
        case .undoTap:
            guard let time = timing.undo() else { throw Refusal(reason: "no mark to take back") }
            return goOn(time, with: timing)
        default: return (nil, try changeSpeed())
        }
        take(timing)
        return (nil, nil)
    }

    /// Takes marks, and lets the song go on before a place.
    private func goOn(
        _ place: Double?, with timing: LyricsTiming
    ) -> (place: Double?, note: String?) {
        take(timing)
        return (place.map { max(0, $0 - Self.lead) }, nil)
    }

    /// Where in the song the ear is, in seconds.
    private var heardPlace: Double { songs.main.heardPlace(mix.ear?(), part: songs.loop.part) }

    private func take(_ timing: LyricsTiming) {
        guard timing != session?.timing else { return }
        session?.timing = timing
        session?.isChanged = true
        session?.due = Clock.seconds + Self.patience
        try? songs.setWords(timing.lyrics)
        words.noteSource("timed by tapping")
    }

    /// Half the tempo, or again the whole.
    private func changeSpeed() throws(Refusal) -> String {
        guard let tempo else { throw Refusal(reason: "this song has no tempo") }
        if let fullTempo {
            try mix.set(tempo, to: fullTempo)
            self.fullTempo = nil
            return "song tempo \(tempo.kind.text(fullTempo))"
        }
        let present = mix.plan[tempo]
        let slow = min(max(present / 2, tempo.kind.range.lowerBound), tempo.kind.range.upperBound)
        try mix.set(tempo, to: slow)
        fullTempo = present
        return "song tempo \(tempo.kind.text(slow))"
    }

    /// Ends the work on a song: what was marked is kept.
    func leave() {
        if let fullTempo, let tempo, mix.plan[tempo] < fullTempo {
            try? mix.set(tempo, to: fullTempo)
        }
        fullTempo = nil
        write(isLast: true)
        session = nil
    }

    // MARK: Turns

    func hear(_ news: Journal.News) {
        guard session != nil, case .song(let event, bus: 0) = news else { return }
        switch event {
        case .opened, .ended: isSongOver = true
        default: break
        }
    }

    var secondsLeft: Double {
        isSongOver ? 0 : (session?.due ?? .infinity) - Clock.seconds
    }

    func update() throws(DuetError) {
        if isSongOver {
            isSongOver = false
            leave()
        } else if let due = session?.due, Clock.seconds >= due {
            write(isLast: false)
        }
    }

    func finish() throws(DuetError) { leave() }

    // MARK: Keeping

    /// Writes what was marked, beside the song if no words are there.
    ///
    /// - Parameter isLast: whether the user is told where they are.
    private func write(isLast: Bool) {
        guard let session, isLast ? session.timing.hasMarks : session.isChanged else { return }
        self.session?.due = nil
        self.session?.isChanged = false
        let text = WordsRecord.Text(timing: session.timing)
        let (song, store, old) = (session.song, store, session.file)
        disk.run(
            on: .wordsBeside,
            { () -> Result<FileName, Refusal> in
                if let old {
                    let code = WordsCache.replace(old, with: text)
                    return code == 0
                        ? .success(old)
                        : .failure(Refusal(reason: "cannot write \(old): \(errorText(code))"))
                }
                if let file = song.location.flatMap({ WordsCache.put(text, beside: $0) }) {
                    return .success(file)
                }
                return song.question.flatMap { store?.keep(text, of: $0) }
                    ?? .failure(Refusal(reason: "not in this run"))
            }
        ) { [self] result throws(DuetError) in
            let noAnswer = Refusal(reason: "the disk does not respond")
            let isSame = self.session?.song.number == song.number
            switch (try? result.get()) ?? .failure(noAnswer) {
            case .success(let file):
                if isSame { self.session?.file = file }
                words.noteSource("timed by tapping, kept in \(file)", ofSong: song.number)
                guard isLast else { return }
                try journal.report(
                    .notice(message: "words \(text.detail.summary), kept in \(file)"))
            case .failure(let refusal):
                guard isLast else { return }
                try journal.warn("the times of the words are not kept: \(refusal.reason)")
            }
        }
    }

    // MARK: The page

    /// What the page shows.
    var view: ScreenState.Tap? {
        guard let session else { return nil }
        let timing = session.timing
        let place = heardPlace
        return ScreenState.Tap(
            lines: timing.lines.map { line in
                ScreenState.Tap.Line(words: line.words, start: line.start, marked: line.times.count)
            }, next: timing.next(at: place)?.line, isOfWords: timing.unit == .words,
            hasAllLines: timing.hasAllLines, isSlow: fullTempo != nil)
    }
}

extension WordsRecord.Text {
    /// What was timed by tapping.
    fileprivate init(timing: LyricsTiming) {
        let lyrics = timing.lyrics
        self.init(
            text: timing.lrc(by: "duet \(Version.release)"), lyrics: lyrics, ending: ".lrc",
            detail: WordsRecord.Detail(lyrics))
    }
}
