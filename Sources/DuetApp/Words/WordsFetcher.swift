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
        /// Where the servers stand that the user knows to learn about songs; nil: nowhere.
        var consents: FileName?
    }

    /// The song that plays.
    private struct Song {
        let number: Int
        let location: Location?
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
        let isDemanded: Bool
    }

    /// Seconds from a song's beginning to when its tags and the words beside it are known.
    private static let settlingTime = 1.0

    private let plan: Plan
    private let songs: LiveSongs
    private let journal: Journal
    private let disk: DiskWorker
    /// Shows the page of choices, if no other one is open.
    private let showChoices: () -> Void
    private let inbox = Inbox<Answer>(limit: 16)
    private var locations: [Int: Location] = [:]
    private var song: Song?
    /// What ends the search that is under way; nil: none is.
    private var search: Search?
    private(set) var choices: [WordsRecord] = []
    private var selected = 0
    /// Whether the user knows what the server learns.
    private var isKnown: Bool
    /// Words of this run that are kept in no file.
    private var unkept: [String: Lyrics] = [:]

    /// - Parameter showChoices: shows the page of choices, if no other one is open.
    init(
        _ plan: Plan, songs: LiveSongs, journal: Journal, disk: DiskWorker,
        showChoices: @escaping () -> Void
    ) {
        (self.plan, self.songs, self.journal, self.disk) = (plan, songs, journal, disk)
        (self.showChoices, isKnown) = (showChoices, plan.isForAll)
        if !isKnown { readConsent() }
    }

    private var host: String { WebAnswer.host(of: plan.server) }

    // MARK: Songs

    func hear(_ news: Journal.News) {
        guard case .song(let event, bus: 0) = news else { return }
        switch event {
        case .found(let found, let number, _): locations[number] = found.whole
        case .opened(let opened):
            leave()
            song = Song(
                number: opened.number, location: locations[opened.number],
                due: Clock.seconds + Self.settlingTime)
            locations = locations.filter { $0.key > opened.number }
        case .ended: leave()
        default: break
        }
    }

    /// The song is over, or another one has begun.
    private func leave() {
        search?.isCancelled.withLock { $0 = true }
        (song, search, choices) = (nil, nil, [])
    }

    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    var secondsLeft: Double { (song?.due ?? .infinity) - Clock.seconds }

    func update() throws(DuetError) {
        for answer in inbox.take().messages { try take(answer) }
        guard let due = song?.due, Clock.seconds >= due else { return }
        song?.due = nil
        lookUp()
    }

    func finish() { leave() }

    /// Takes the words that are kept of the song, if it has none with times, or asks for them.
    private func lookUp() {
        guard let number = song?.number, songs.interlude == nil, hasNoTimes,
            let question = ask(of: number)
        else { return }
        if let words = unkept[question.key] { return use(words, source: host) }
        guard let cache = plan.cache else { return askForAll(question) }
        disk.run(
            on: .words, isAwaited: false,
            { [server = plan.server] in cache.kept(of: question, server: server) }
        ) { [self] result in
            guard song?.number == number, hasNoTimes else { return }
            guard case .success(let kept?) = result else { return askForAll(question) }
            if case .words(let words, let file) = kept { use(words, source: "\(file)") }
        }
    }

    private func askForAll(_ question: SongQuestion) {
        if plan.isForAll, songs.shownLyrics.lyrics == nil { begin(question, isDemanded: false) }
    }

    private var hasNoTimes: Bool { !songs.shownLyrics.isTimed }

    /// What is asked of the song that plays; nil: it is not known by name, or is a station.
    private func ask(of number: Int) -> SongQuestion? {
        if song?.question == nil {
            song?.question = songs.main.nowPlaying.flatMap(SongQuestion.init)
        }
        return song?.question
    }

    private func use(_ words: Lyrics, source: String) {
        song?.source = source
        try? songs.setWords(words)
    }

    /// Where the words of the song are from; nil if they were not fetched.
    var source: String? { song?.source }

    // MARK: Asking

    /// Fetches the words of the song that plays. Returns what to tell the user.
    ///
    /// - Parameter key: what asks for them: `W`.
    func fetch(key: String) throws(Refusal) -> String? {
        guard songs.interlude == nil, let number = song?.number else {
            throw Refusal(reason: "no song plays whose words could be fetched")
        }
        guard hasNoTimes else { throw Refusal(reason: "this song has words") }
        guard search == nil else { throw Refusal(reason: "asking \(host) already") }
        guard songs.main.nowPlaying?.isLive != true else {
            throw Refusal(reason: "a station's songs cannot be looked up")
        }
        guard let question = ask(of: number) else {
            throw Refusal(reason: "this song has no title to ask for")
        }
        guard choices.isEmpty else {
            showChoices()
            return nil
        }
        guard isKnown else {
            isKnown = true
            keepConsent()
            return "\(host) will learn title, artist and length of this song: \(key) again asks it"
        }
        lookUp(question, number)
        return "asking \(host) for the words of \(question.text)"
    }

    /// Asks the server, unless it had nothing some days ago.
    private func lookUp(_ question: SongQuestion, _ number: Int) {
        guard let cache = plan.cache else { return begin(question, isDemanded: true) }
        disk.run(
            on: .words, isAwaited: false,
            { [server = plan.server] in cache.kept(of: question, server: server) }
        ) { [self] result throws(DuetError) in
            guard song?.number == number, hasNoTimes else { return }
            guard case .success(.nothing(let days)?) = result else {
                return begin(question, isDemanded: true)
            }
            let day = days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago"
            try journal.report(
                Self.event(
                    .none, question, host,
                    text:
                        "\(host) had no words of \(question.text) \(day); duet asks again after a week"
                ))
        }
    }

    private func begin(_ question: SongQuestion, isDemanded: Bool) {
        guard let number = song?.number, search == nil else { return }
        let current = Search(of: number)
        search = current
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
            inbox.post(
                Answer(number: number, question: question, outcome: outcome, isDemanded: isDemanded)
            )
        }
        if code != 0 { search = nil }
        try? journal.report(Self.event(.asking, question, host))
    }

    private func take(_ answer: Answer) throws(DuetError) {
        guard answer.number == song?.number, search?.number == answer.number else { return }
        search = nil
        let question = answer.question
        switch answer.outcome {
        case .found(let record): try accept(record, question, isDemanded: answer.isDemanded)
        case .choice(let records):
            (choices, selected) = (records, 0)
            try journal.report(
                Self.event(
                    .choice, question, host, choices: records,
                    text: "\(host) has words that may be those of \(question.text): choose"))
            if answer.isDemanded { showChoices() }
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
    private func accept(
        _ record: WordsRecord, _ question: SongQuestion, isDemanded: Bool
    ) throws(DuetError) {
        guard let text = record.text, let number = song?.number else { return }
        choices = []
        use(text.lyrics, source: host)
        let (place, cache) = (isDemanded ? song?.location : nil, plan.cache)
        disk.run(
            on: .words,
            { () -> Result<FileName, Refusal> in
                if let file = place.flatMap({ WordsCache.put(text, beside: $0) }) {
                    return .success(file)
                }
                return cache?.keep(text, of: question)
                    ?? .failure(Refusal(reason: "nothing is kept in this run"))
            }
        ) { [self] result throws(DuetError) in
            let answer =
                (try? result.get()) ?? .failure(Refusal(reason: "the disk does not respond"))
            var kept = "not kept: "
            switch answer {
            case .success(let file):
                kept = "kept in \(file)"
                if song?.number == number { song?.source = "\(host), \(kept)" }
            case .failure(let refusal):
                kept += refusal.reason
                unkept[question.key] = text.lyrics
            }
            try journal.report(
                Self.event(
                    .found, question, host, detail: text.detail.name,
                    file: try? answer.get().description,
                    text: "words of \(question.text) from \(host), \(text.detail.summary); \(kept)")
            )
        }
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

    // MARK: Consent

    /// Reads whether the user knows what the server learns.
    private func readConsent() {
        guard let file = plan.consents else { return }
        let server = plan.server
        disk.run(
            on: .words, isAwaited: false,
            {
                let bytes = (try? WholeFile.bytes(of: file, atMost: 10_000)) ?? []
                return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                    .contains(Substring(server))
            }
        ) { [self] result in
            if case .success(true) = result { isKnown = true }
        }
    }

    private func keepConsent() {
        guard let file = plan.consents else { return }
        let server = plan.server
        disk.run(
            on: .words,
            {
                guard UserFolder.make(file.folder) == 0 else { return }
                let old = (try? WholeFile.bytes(of: file, atMost: 10_000)) ?? []
                _ = WholeFile.replace(
                    file, with: String(decoding: old, as: UTF8.self) + server + "\n",
                    draft: file + FileName(".\(getpid())"))
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
        try accept(choices[number], question, isDemanded: true)
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
