import AudioMedia
import SystemSupport

/// Gives the words of the song that plays their times, as a user taps along, and keeps them: what is marked
/// is shown at once.
///
/// Main thread; the disk is not waited for.
final class WordsTapper: JournalListener {
    /// The tempo of the songs, in per cent.
    struct Tempo {
        let parameter: MixParameter
        let value: () -> Double
        let set: (Double) throws(Refusal) -> Void
    }

    /// Where a song's words were put; nil before they are.
    private final class PutFile: Sendable {
        let name = Guarded<FileName?>(nil)
    }

    /// The song whose words are timed.
    private final class Session {
        let song: WordsFetcher.HeardSong
        var timing: LyricsTiming
        /// The words as they are shown: those that it began with, or what was marked.
        var shown: Lyrics
        let file = PutFile()
        /// Whether something was marked that is not written yet.
        var isChanged = false
        /// Whether something was marked since the user was told where the words are.
        var isUntold = false
        /// When it is written, in seconds of the clock; nil: nothing is to be.
        var due: Double?

        init(_ song: WordsFetcher.HeardSong, _ timing: LyricsTiming, of lyrics: Lyrics) {
            (self.song, self.timing, shown) = (song, timing, lyrics)
        }
    }

    /// Seconds from a mark to when it is written.
    private static let patience = 2.0
    /// Seconds that are heard before the place where marks go on.
    private static let lead = 3.0

    private let songs: LiveSongs
    private let words: WordsFetcher
    /// Where words are put that cannot be beside their song; nil: nowhere.
    private let store: WordsCache?
    private let journal: Journal
    private let disk: DiskWorker
    /// Nil: it cannot be changed here.
    private let tempo: Tempo?
    /// Who hears the songs; nil: nobody knows.
    private let ear: () -> Ear?
    /// Nil: nothing is timed.
    private var session: Session?
    /// The tempo before the song was slowed down; nil while it is not.
    private var fullTempo: Double?
    private var isSongOver = false
    /// Whether the page was shown when a song ended: the next key begins with the next song, and marks nothing.
    private var beginsAnew = false

    /// Whether the page is shown. Who closes it is done, until it is opened again.
    var isShown = false {
        didSet {
            guard oldValue, !isShown else { return }
            beginsAnew = false
            restoreTempo()
            write(isLast: true)
        }
    }

    init(
        songs: LiveSongs, tempo: Tempo?, ear: @escaping () -> Ear?, words: WordsFetcher,
        store: WordsCache?, journal: Journal, disk: DiskWorker
    ) {
        (self.songs, self.tempo, self.ear) = (songs, tempo, ear)
        (self.words, self.store, self.journal, self.disk) = (words, store, journal, disk)
    }

    // MARK: Asking

    /// Begins to time the words of the song that plays, if that is not done already.
    func open() throws(Refusal) {
        let song = try words.heardSong()
        guard let lyrics = songs.lyrics[0].lyrics else {
            throw Refusal(reason: "this song has no words that could be timed")
        }
        // What was marked goes on, unless other words have come.
        if let session, session.song.number == song.number, session.shown == lyrics {
            return
        }
        guard let timing = LyricsTiming(lyrics) else {
            throw Refusal(reason: "each word of this song has its time")
        }
        leave()
        session = Session(song, timing, of: lyrics)
    }

    /// Does what a key of the page asks for.
    ///
    /// - Returns: where the song is to go on, in its seconds, and what the user is told; nil: nowhere, and
    ///   nothing.
    func obey(_ trigger: Trigger) throws(Refusal) -> (place: Double?, note: String?) {
        try open()
        if beginsAnew {
            beginsAnew = false
            return (nil, nil)
        }
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
    private var heardPlace: Double { songs.main.heardPlace(ear(), part: songs.loop.part) }

    private func take(_ timing: LyricsTiming) {
        guard timing != session?.timing else { return }
        session?.timing = timing
        session?.isChanged = true
        session?.isUntold = true
        session?.due = Clock.seconds + Self.patience
        let lyrics = timing.lyrics
        session?.shown = lyrics
        try? songs.setWords(lyrics)
        words.noteSource(timing.hasMarks ? "you, by tapping" : nil)
    }

    /// Half the tempo, or again the whole.
    private func changeSpeed() throws(Refusal) -> String {
        guard let tempo else { throw Refusal(reason: "this song has no tempo") }
        let kind = tempo.parameter.kind
        if let fullTempo {
            try tempo.set(fullTempo)
            self.fullTempo = nil
            return "song tempo \(kind.text(fullTempo))"
        }
        let present = tempo.value()
        let slow = min(max(present / 2, kind.range.lowerBound), kind.range.upperBound)
        try tempo.set(slow)
        fullTempo = present
        return "song tempo \(kind.text(slow))"
    }

    private func restoreTempo() {
        if let fullTempo { try? tempo?.set(fullTempo) }
        fullTempo = nil
    }

    /// The song is left for another, which has a tempo of its own.
    func leaveSong() { restoreTempo() }

    /// Ends the work on a song: what was marked is kept.
    private func leave() {
        restoreTempo()
        write(isLast: true)
        session = nil
    }

    // MARK: Turns

    func hear(_ news: Journal.News) {
        guard case .song(let event, bus: 0) = news else { return }
        switch event {
        case .opened, .ended:
            // Before the song's values are remembered.
            restoreTempo()
            isSongOver = session != nil
            beginsAnew = isShown && session != nil
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
        guard let session, session.isChanged || isLast && session.isUntold else { return }
        (session.due, session.isChanged) = (nil, false)
        if isLast { session.isUntold = false }
        let text = WordsRecord.Text(timing: session.timing)
        let (song, store, kept) = (session.song, store, session.file)
        disk.run(
            on: .wordsBeside,
            { () -> Result<FileName, Refusal> in
                // Where the writes before this one have put them.
                if let old = kept.name.withLock({ $0 }) {
                    let code = WordsCache.replace(old, with: text)
                    return code == 0
                        ? .success(old)
                        : .failure(Refusal(reason: "cannot write \(old): \(errorText(code))"))
                }
                let beside = song.location.flatMap { WordsCache.put(text, beside: $0) }
                let result: Result<FileName, Refusal> =
                    beside.map { .success($0) } ?? song.question.flatMap {
                        store?.keep(text, of: $0)
                    }
                    ?? .failure(Refusal(reason: "not in this run"))
                if case .success(let file) = result {
                    kept.name.withLock { $0 = file }
                }
                return result
            }
        ) { [self] result throws(DuetError) in
            let noAnswer = Refusal(reason: "the disk does not respond")
            switch (try? result.get()) ?? .failure(noAnswer) {
            case .success(let file):
                words.noteSource("you, by tapping; kept in \(file)", ofSong: song.number)
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
        guard let session, !beginsAnew else { return nil }
        let timing = session.timing
        let place = heardPlace
        return ScreenState.Tap(
            lines: timing.lines.map { line in
                ScreenState.Tap.Line(
                    words: line.words, start: line.start, end: line.end, marked: line.marked)
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
