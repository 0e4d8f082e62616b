import AudioMedia
import Glibc
import SystemSupport

/// Fetches the words of the song that plays from a server of LRCLIB's kind, where the user asks for them, and
/// keeps them.
///
/// Main thread. The server is asked on a thread of its own, files are read and written on others.
final class WordsFetcher: JournalListener {
    /// Which server is asked, and when.
    struct Plan: Sendable {
        /// As `https://lrclib.net`.
        var server: String
        /// Whether every song without words is asked for, or only on demand.
        var isForAll = false
        /// Nil: nothing is kept, except beside songs.
        var cache: WordsCache?
        /// Words that the user has timed; nil: there are none.
        var tapped: WordsCache?
        /// Where the servers stand that the user knows to learn about songs; nil: nowhere.
        var consents: FileName?
        /// Whether the first song has lyrics that the user has named.
        var hasNamedLyrics = false
        /// Whether a take, or the demo, is played: nothing is fetched then.
        var isOff = false
    }

    /// The song that plays.
    private struct Song {
        let number: Int
        let location: Location?
        let hasNamedLyrics: Bool
        /// When its tags are known and it is looked up, in seconds of the clock; nil once that was done.
        var due: Double?
        var question: SongQuestion?
        /// Where its words are from, for people; nil if they were not fetched.
        var source: String?
    }

    /// A search that is under way.
    private final class Search: Sendable {
        let isCancelled = Guarded(false)
        let number: Int
        init(of number: Int) { self.number = number }
    }

    private struct Answer: Sendable {
        let number: Int
        let question: SongQuestion
        let outcome: WordsSearch.Outcome
    }

    /// Seconds from a song's beginning to when its tags and the words beside it are known.
    private static let settlingTime = 1.0
    /// Most songs of which it is remembered in this run that they were asked for, and what was found.
    private static let mostRemembered = 500

    private let plan: Plan
    private let songs: LiveSongs
    private let journal: Journal
    private let disk: DiskWorker
    /// What asks for words: `W`.
    private let key: String
    /// Shows the page of choices, or hides it.
    private let showChoices: (Bool) -> Void
    private let inbox = Inbox<Answer>(limit: 16)
    private var locations: [Int: Location] = [:]
    private var song: Song?
    /// Nil: none is under way.
    private var search: Search?
    /// Whether the user has asked for what is searched, or offered.
    private var isDemanded = false
    private(set) var choices: [WordsRecord] = []
    private var selected = 0
    private let consent: ServerConsent
    /// The songs that were asked for without a demand, and words that are kept in no file.
    private var asked: Set<String> = []
    private var unkept: [String: Lyrics] = [:]

    /// - Parameters:
    ///   - key: what asks for words, for people.
    ///   - showChoices: shows the page of choices, or hides it.
    init(
        _ plan: Plan, songs: LiveSongs, journal: Journal, disk: DiskWorker, key: String,
        showChoices: @escaping (Bool) -> Void
    ) {
        (self.plan, self.songs, self.journal, self.disk) = (plan, songs, journal, disk)
        (self.key, self.showChoices) = (key, showChoices)
        consent = ServerConsent(to: plan.server, file: plan.consents, disk: disk)
    }

    private var host: String { WebAnswer.host(of: plan.server) }
    /// What people are told before the server is asked.
    private var notice: String {
        "\(host) learns title, artist, album and length of songs whose words are fetched"
    }

    // MARK: Songs

    func hear(_ news: Journal.News) {
        guard !plan.isOff, case .song(let event, bus: 0) = news else { return }
        switch event {
        case .found(let found, let number, _): locations[number] = found.whole
        case .opened(let opened):
            let isFirst = song == nil
            leave()
            song = Song(
                number: opened.number, location: locations[opened.number],
                hasNamedLyrics: isFirst && plan.hasNamedLyrics,
                due: Clock.seconds + Self.settlingTime)
            locations = locations.filter { $0.key > opened.number }
        // What is better known now is asked for, unless it was asked for already.
        case .tags where search == nil && choices.isEmpty: song?.question = nil
        case .lyrics:
            song?.source = nil
            if !isDemanded { leave() }
        case .ended: leave()
        default: break
        }
    }

    /// Gives up what is asked of the song, and what is offered.
    private func leave() {
        search?.isCancelled.withLock { $0 = true }
        (search, isDemanded) = (nil, false)
        if !choices.isEmpty { showChoices(false) }
        choices = []
    }

    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    var secondsLeft: Double { (song?.due ?? .infinity) - Clock.seconds }

    func update() throws(DuetError) {
        for answer in inbox.take().messages { try take(answer) }
        guard let due = song?.due, Clock.seconds >= due else { return }
        // Behind a take that is played in between.
        song?.due = songs.interlude == nil ? nil : Clock.seconds + Self.settlingTime
        if songs.interlude == nil { lookUp() }
    }

    func finish() { leave() }

    /// Takes the words that are kept of the song, if they are better than its own, or asks for them.
    private func lookUp() {
        guard let number = song?.number, detail != .words, let question = makeQuestion() else {
            return
        }
        guard let tapped = plan.tapped else { return lookUpFetched(question, number) }
        disk.run(on: .words, isAwaited: false, { tapped.kept(of: question, server: "") }) {
            [self] result throws(DuetError) in
            guard song?.number == number, search == nil else { return }
            guard case .words(let words, let file)? = try? result.get(),
                detail.map({ $0 < WordsRecord.Detail(words) }) ?? true
            else { return lookUpFetched(question, number) }
            try? songs.setWords(words)
            song?.source = "you, by tapping; kept in \(file)"
        }
    }

    /// How exactly the times of the song's words are known; nil: it has none.
    private var detail: WordsRecord.Detail? { songs.lyrics[0].lyrics.map(WordsRecord.Detail.init) }

    private func lookUpFetched(_ question: SongQuestion, _ number: Int) {
        guard hasNoTimes else { return }
        if let words = unkept[question.key] { return use(words, source: host) }
        readCache(question, number) { [self] kept throws(DuetError) in
            switch kept {
            case .words(let words, let file): use(words, source: "\(host), kept in \(file)")
            case .nothing: break
            case nil:
                guard plan.isForAll, !hasWords, song?.hasNamedLyrics != true,
                    asked.insert(question.key).inserted
                else { return }
                if asked.count > Self.mostRemembered { asked = [question.key] }
                consent.read { [self] isKnown throws(DuetError) in
                    guard song?.number == number, hasNoTimes else { return }
                    if !isKnown {
                        consent.give()
                        try journal.report(.notice(message: notice))
                    }
                    try begin(question)
                }
            }
        }
    }

    /// Passes on what is kept of the song, if it plays still and has no words with times.
    private func readCache(
        _ question: SongQuestion, _ number: Int,
        then: @escaping (WordsCache.Kept?) throws(DuetError) -> Void
    ) {
        let (cache, server) = (plan.cache, plan.server)
        disk.run(
            on: .words, isAwaited: false, { cache?.kept(of: question, server: server) }
        ) { [self] result throws(DuetError) in
            guard song?.number == number, hasNoTimes, search == nil else { return }
            try then((try? result.get()) ?? nil)
        }
    }

    /// Whether the song has words, with times or without.
    private var hasWords: Bool { songs.lyrics[0].lyrics != nil }
    private var hasNoTimes: Bool { !songs.lyrics[0].isTimed }

    /// What is asked of the song that plays; nil: it is not known by name, or is a station.
    private func makeQuestion() -> SongQuestion? {
        guard let song, song.question == nil else { return song?.question }
        let question = songs.main.nowPlaying.flatMap {
            SongQuestion($0, at: song.location, duration: songs.main.position?.duration)
        }
        self.song?.question = question
        return question
    }

    /// Shows words that are better than those that the song has.
    private func use(_ words: Lyrics, source: String) {
        guard words.isTimed || !hasWords else { return }
        try? songs.setWords(words)
        song?.source = source
    }

    /// Where the words are from that are shown; nil if they are the song's own.
    var source: String? { songs.interlude == nil ? song?.source : nil }

    /// Says where the words of the song that plays are from.
    func noteSource(_ source: String?, ofSong number: Int? = nil) {
        if number ?? song?.number == song?.number { song?.source = source }
    }

    /// A song that plays, as its words are kept.
    struct HeardSong {
        let number: Int
        let location: Location?
        /// Nil: it is not known by name.
        let question: SongQuestion?
    }

    /// The song that plays, if it may have words that are kept.
    func heardSong() throws(Refusal) -> HeardSong {
        guard !plan.isOff else {
            throw Refusal(reason: "the words of takes and of the demo stay as they are")
        }
        guard songs.interlude == nil, let song, let heard = songs.main.nowPlaying else {
            throw Refusal(reason: "no song plays")
        }
        guard !heard.isLive else { throw Refusal(reason: "a station's words have no times") }
        return HeardSong(number: song.number, location: song.location, question: makeQuestion())
    }

    // MARK: Asking

    /// What the user is told who asks for words.
    enum Reply {
        /// Nil: the page of choices says it.
        case note(String?)
        /// A disk is asked first.
        case later
    }

    /// Fetches the words of the song that plays.
    ///
    /// - Parameter later: takes what the user is told, if that is not returned.
    func fetch(
        later: @escaping (String) throws(DuetError) -> Void
    ) throws(Refusal) -> Reply {
        guard !plan.isOff else {
            throw Refusal(reason: "no words are fetched for takes and the demo")
        }
        guard songs.interlude == nil, let number = song?.number, songs.main.nowPlaying != nil else {
            throw Refusal(reason: "no song plays whose words could be fetched")
        }
        guard hasNoTimes else { throw Refusal(reason: "this song has words") }
        guard songs.main.nowPlaying?.isLive != true else {
            throw Refusal(reason: "a station's songs cannot be looked up")
        }
        guard let question = makeQuestion() else {
            throw Refusal(reason: "this song has no title to ask for")
        }
        let asking = "asking \(host) for the words of \(question.text)"
        guard search == nil else {
            isDemanded = true
            return .note(asking)
        }
        guard choices.isEmpty else {
            isDemanded = true
            showChoices(true)
            return .note(nil)
        }
        /// Returns what the user is told.
        let answer = { [self] (isKnown: Bool) -> String in
            guard isKnown else {
                consent.give()
                return "\(notice); \(key) again asks it"
            }
            demand(question, number)
            return asking
        }
        if let isKnown = consent.isKnown { return .note(answer(isKnown)) }
        consent.read { isKnown throws(DuetError) in try later(answer(isKnown)) }
        return .later
    }

    /// Asks for words that the user wants, unless the server had none some days ago.
    private func demand(_ question: SongQuestion, _ number: Int) {
        readCache(question, number) { [self] kept throws(DuetError) in
            isDemanded = true
            guard case .nothing(let days) = kept else { return try begin(question) }
            let day = days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago"
            try journal.report(
                Self.event(
                    .none, question, host,
                    text: "\(host) had no words of \(question.text) \(day); "
                        + "duet asks again after a week"))
        }
    }

    private func begin(_ question: SongQuestion) throws(DuetError) {
        guard let number = song?.number, search == nil else { return }
        let current = Search(of: number)
        let (server, inbox) = (plan.server, inbox)
        let code = DetachedThread.start("words", stack: .libraries) {
            let isCancelled = { current.isCancelled.withLock { $0 } }
            var search = WordsSearch(
                server: server,
                get: { address throws(WebAnswer.Failure) in
                    try WebAnswer.get(
                        address, agent: "duet \(Version.release)", unless: isCancelled)
                },
                wait: { seconds in
                    let end = Clock.seconds + seconds
                    while Clock.seconds < end, !isCancelled() { usleep(20_000) }
                    return !isCancelled()
                })
            let outcome = search.find(question)
            if isCancelled() { return }
            inbox.post(Answer(number: number, question: question, outcome: outcome))
        }
        guard code == 0 else {
            return try journal.report(
                Self.event(.failed, question, host, text: "no words: \(errorText(code))"))
        }
        search = current
        try journal.report(Self.event(.asking, question, host))
    }

    private func take(_ answer: Answer) throws(DuetError) {
        guard answer.number == song?.number, search?.number == answer.number else { return }
        search = nil
        let question = answer.question
        guard hasNoTimes else {
            return try journal.report(
                Self.event(
                    .failed, question, host, text: "\(question.text) has words with times already"))
        }
        switch answer.outcome {
        case .found(let record) where record.text?.lyrics.isTimed == true || !hasWords:
            try accept(record, question)
        case .found:
            try journal.report(
                Self.event(
                    .none, question, host,
                    text: "\(host) has no words with times of \(question.text)"))
        case .choice(let records):
            (choices, selected) = (records, 0)
            song?.question = question
            if isDemanded { showChoices(true) }
            try journal.report(
                Self.event(
                    .choice, question, host, choices: records,
                    text:
                        "\(host) has words that may be those of \(question.text): \(key) shows them"
                ))
        case .instrumental, .nothing:
            let isInstrumental = answer.outcome == .instrumental
            keepNothing(question)
            try journal.report(
                Self.event(
                    isInstrumental ? .instrumental : .none, question, host,
                    text: isInstrumental
                        ? "\(host) says that nobody sings in \(question.text)"
                        : "\(host) has no words of \(question.text)"))
        case .failed(let reason):
            try journal.report(
                Self.event(.failed, question, host, text: "no words: \(reason)"))
        }
    }

    private static func event(
        _ state: WordsFetchState, _ question: SongQuestion, _ host: String, detail: String? = nil,
        file: String? = nil, choices: [WordsRecord] = [], text: String? = nil
    ) -> Event {
        .wordsFetch(
            state, title: question.title, artist: question.artist, server: host, detail: detail,
            file: file, choices: choices.map(\.json), text: text)
    }

    // MARK: Keeping

    /// Shows the words, and keeps them: beside the song if the user asked for these, or else in the cache.
    private func accept(_ record: WordsRecord, _ question: SongQuestion) throws(DuetError) {
        guard let text = record.text, let number = song?.number else { return }
        let (place, cache) = (isDemanded ? song?.location : nil, plan.cache)
        leave()
        use(text.lyrics, source: host)
        let report = { [self] (kept: String, file: String?) throws(DuetError) in
            try journal.report(
                Self.event(
                    .found, question, host, detail: text.detail.name, file: file,
                    text: "words of \(question.text) from \(host), \(text.detail.summary); \(kept)")
            )
        }
        remember(text.lyrics, of: question)
        disk.run(
            on: .wordsBeside,
            { () -> Result<FileName, Refusal> in
                if let file = place.flatMap({ WordsCache.put(text, beside: $0) }) {
                    return .success(file)
                }
                return cache?.keep(text, of: question)
                    ?? .failure(Refusal(reason: "not in this run"))
            },
            late: { () throws(DuetError) in
                try report("not kept yet: the disk does not respond", nil)
            }
        ) { [self] result throws(DuetError) in
            let noAnswer = Refusal(reason: "the disk does not respond")
            switch (try? result.get()) ?? .failure(noAnswer) {
            case .success(let file):
                unkept[question.key] = nil
                if song?.number == number { song?.source = "\(host), kept in \(file)" }
                try report("kept in \(file)", "\(file)")
            case .failure(let refusal): try report("not kept: \(refusal.reason)", nil)
            }
        }
    }

    private func remember(_ words: Lyrics, of question: SongQuestion) {
        if unkept.count >= Self.mostRemembered { unkept = [:] }
        unkept[question.key] = words
    }

    private func keepNothing(_ question: SongQuestion) {
        guard let cache = plan.cache else { return }
        disk.run(
            on: .words,
            { [server = plan.server] in
                cache.keepNothing(of: question, server: server)
            }
        ) { _ in }
    }

    // MARK: The page

    /// Takes a key of the page of choices. Returns false for a key that is none of its own.
    func take(_ key: Key) throws(DuetError) -> Bool {
        switch key {
        case .up: selected = max(0, selected - 1)
        case .down: selected = min(max(0, choices.count - 1), selected + 1)
        case .enter: try choose(selected)
        case .character(let character):
            guard let number = character.wholeNumberValue, choices.indices.contains(number - 1)
            else { return false }
            try choose(number - 1)
        default: return false
        }
        return true
    }

    private func choose(_ number: Int) throws(DuetError) {
        guard choices.indices.contains(number), let question = song?.question else { return }
        isDemanded = true
        try accept(choices[number], question)
    }

    /// What the page shows.
    var view: ScreenState.WordsChoice {
        ScreenState.WordsChoice(
            song: song?.question?.text ?? "", seconds: song?.question?.duration, server: host,
            isAsking: search != nil,
            records: choices.map { record in
                ScreenState.WordsChoice.Record(
                    text: SafeText.clean("\(record.artist) – \(record.title)"), album: record.album,
                    seconds: record.duration, detail: record.text?.detail.summary ?? "")
            }, selected: selected)
    }
}
