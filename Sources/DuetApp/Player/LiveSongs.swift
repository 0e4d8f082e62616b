import AudioGraph
import AudioMedia
import JackIO
import SystemSupport

/// The songs of a live run: a player for each bus that has songs, and when all of them are over.
///
/// Main thread; the songs' own threads reach it through an inbox alone.
final class LiveSongs {
    private let players: [SongPlayer]
    /// The take that is played while the songs stand still; nil: none is.
    private(set) var interlude: Interlude?
    /// The words of the take that is played in the songs' place; nil: it has none, or songs are played.
    private var takeWords: Lyrics?
    private let inbox = Inbox<SongPlayer.Message>()
    /// The list of the songs of bus 0.
    let list: LiveList
    /// Those of each player's song.
    private(set) var lyrics: [SongLyrics]
    /// The moving picture of the song of bus 0, where there is a screen to show it.
    private var graphics = SongGraphics()
    /// When the lyrics are to be looked at again, in seconds of the clock.
    private var lyricsDueTime = Double.infinity
    /// Until when they are looked at often: it takes a song a moment to be paused or moved.
    private var settlingEnd = -Double.infinity
    /// How long that is, and how often, in seconds.
    private static let (settlingTime, settlingStep) = (0.5, 0.02)
    /// Plays the songs of bus 1 into the microphone in the demo; nil in every other run.
    private let voice: DemoVoice?
    /// Whether the songs behind the first are a take's voices, which follow it.
    private let haveVoices: Bool
    /// Whether these voices are parts of the song's bus.
    private let voicesAreInSong: Bool
    /// By how many seconds the take's voices come later than its song.
    private(set) var voiceOffset = 0.0
    private let journal: Journal
    /// Whether moving pictures can be shown.
    private let showsPictures: Bool
    /// False in a session that has no song yet.
    private let hasSongs: Bool
    /// Whether users have paused the songs.
    private var isPausedByUser = false
    /// What users loop of the present song.
    private(set) var loop = SongLoop()
    /// Whether the run goes on when all songs are over, by the `StayRule`.
    private var staysOpen: Bool
    /// Whether the demo's song and voice, which begin together, have begun.
    private var hasBegun = false

    /// Players of the songs of each bus, or of a take, on the buses of `mix` and of the voice's own graph.
    ///
    /// - Parameter stays: whether the run goes on when all songs are over.
    init(
        _ plans: [SongPlan], take: PlayedTake?, stays: Bool, mix: MixGraph, voice: DemoVoice?,
        showsPictures: Bool, journal: Journal
    ) {
        self.showsPictures = showsPictures
        self.voice = voice
        self.journal = journal
        haveVoices = take != nil
        voicesAreInSong = take?.isBacking ?? false
        hasSongs = plans.contains { !$0.songs.isEmpty }
        staysOpen = stays
        players = plans.enumerated().map { [inbox] bus, plan in
            let voice = bus == 1 ? voice : nil
            return SongPlayer(
                bus: bus, mixerBus: voice == nil ? bus : 0, plan: plan,
                mix: voice?.mix ?? mix.backing ?? mix, inbox: inbox)
        }
        lyrics = players.map { _ in SongLyrics() }
        list = LiveList(of: players[0], journal: journal)
        if let take { setVoiceOffset(take.stored.take.offset) }
    }

    /// Begins the songs' transfers, for cycles of `period` frames.
    func start(period: Int) throws(DuetError) {
        for player in players {
            try player.start(report: report(of: player))
            if voice != nil || player.plan.waitsAtStart { player.setPaused(true) }
        }
        isPausedByUser = main.plan.waitsAtStart
        setPeriod(period)
    }

    /// Puts the songs on another graph, which takes the place of a graph with another rate.
    func move(to mix: MixGraph) throws(DuetError) {
        try voice?.rebuild(for: mix.graph.sampleRate)
        let songs = mix.backing ?? mix
        for player in players { try player.move(to: player.bus == 1 ? voice?.mix ?? songs : songs) }
    }

    /// Ends the songs' threads; returns soon, whatever the network does.
    func stop() {
        interlude?.player.stop()
        for player in players { player.stop() }
    }

    // MARK: News

    /// Readable when the songs' threads have sent messages.
    var descriptors: [Int32] { [inbox.descriptor, interlude?.descriptor].compactMap { $0 } }

    /// Handles messages of the songs' threads, 64 at most: no flood of them holds the keys up.
    func handleMessages() throws(DuetError) {
        try interlude?.handleMessages()
        let (messages, lost) = inbox.take(atMost: 64)
        if lost > 0 { try journal.report(.dropped(events: lost)) }
        if !messages.isEmpty { settlingEnd = Clock.seconds + Self.settlingTime }
        for message in messages {
            let player = players[message.bus]
            try player.take(message, report: report(of: player))
            if player.takesChoice(with: message.event) { noteBeginning() }
            let words = lyrics[message.bus].lyrics
            lyrics[message.bus].take(message.event)
            if case .opened = message.event, message.bus == 0, let takeWords {
                lyrics[0].take(.lyrics(takeWords))
            }
            try tellSong(of: player, words: words)
            if message.bus == 0, showsPictures { graphics.take(message.event) }
            journal.tell(.song(message.event, bus: message.bus))
            try journal.check()
            if case .opened = message.event {
                journal.settle(.vocals(bus: message.bus))
                // Another song: the queue repeats nothing of it.
                if player === main { setLoop(SongLoop(), by: .song) }
            }
            if case .finished = message.event, !isVoice(player) {
                staysOpen = player.staysOpen
                if staysOpen { try player.tellFailure(report(of: player)) }
            }
        }
        if voice != nil, !hasBegun, players.allSatisfy(\.isReady) {
            hasBegun = true
            for player in players { player.setPaused(isPaused) }
        }
    }

    /// Reports what a player plays, and its lyrics, if that differs from before.
    private func tellSong(of player: SongPlayer, words: Lyrics?) throws(DuetError) {
        let report = report(of: player)
        if let now = player.takeNowPlaying() {
            try report(.nowPlaying(bus: player.bus, now))
        }
        let lyrics = lyrics[player.bus].lyrics
        if lyrics != words { try report(.words(bus: player.bus, lyrics)) }
    }

    /// What plays on bus 0, its lyrics and what is heard of them, where it is, and the list.
    var events: [Event] {
        var events = [
            Event.nowPlaying(bus: 0, shown.nowPlaying), .words(bus: 0, shownLyrics.lyrics),
            list.event,
        ]
        if let view = shownLyrics.view {
            events.append(.lyrics(bus: 0, view, seconds: shownLyrics.heard))
        }
        if let position = shown.positionEvent { events.append(position) }
        return events
    }

    /// Reports where each song is.
    func reportPositions() throws(DuetError) {
        for player in players {
            let shown = player === main ? shown : player
            if let event = shown.positionEvent { try report(of: player)(event) }
        }
    }

    /// The function that takes a player's events: of a take's voices warnings alone, of the demo's nothing.
    private func report(of player: SongPlayer) -> (Event) throws(DuetError) -> Void {
        if voice != nil, player.bus == 1 { return { _ in } }
        guard isVoice(player) else { return journal.report }
        return { [journal] event throws(DuetError) in
            if event.logLevel == .warning { try journal.report(event) }
        }
    }

    // MARK: Lyrics

    /// Seconds until `showLyrics` has something to do.
    var secondsUntilLyrics: Double { lyricsDueTime - Clock.seconds }

    /// Reports the line and the word that are heard now, `offset` seconds late. `ear` is asked for if it matters.
    func showLyrics(_ ear: @autoclosure () -> Ear, offset: Double) throws(DuetError) {
        lyricsDueTime = .infinity
        guard shownLyrics.isTimed || lyrics.contains(where: \.isTimed) else { return }
        let (now, ear) = (Clock.seconds, ear())
        if now < settlingEnd { lyricsDueTime = now + Self.settlingStep }
        if let wait = try interlude?.showLyrics(ear, offset: offset, now: now) {
            lyricsDueTime = min(lyricsDueTime, now + wait)
        }
        for (bus, player) in players.enumerated() where lyrics[bus].isTimed {
            guard
                let movement = player.movement(
                    period: ear.period, isRendered: ear.hears, part: loop.part)
            else { continue }
            let before = lyrics[bus].view
            let (isNew, wait) = lyrics[bus].look(
                movement, at: now, delay: ear.delay, offset: offset)
            if isNew, let view = lyrics[bus].view, bus > 0 || interlude == nil {
                try report(of: player)(
                    .lyrics(
                        bus: bus, view, seconds: lyrics[bus].heard,
                        lines: lyrics[bus].lines(since: before)))
            }
            // A song that is a little slower than expected is not looked at without end.
            lyricsDueTime = min(lyricsDueTime, now + max(0.002, wait))
        }
    }

    /// Whether the song has a moving picture.
    var hasPicture: Bool { graphics.isThere }
    /// The moving picture at `now`, `offset` seconds late; nil: there is none. `ear` is asked for if it matters.
    func takePicture(_ ear: @autoclosure () -> Ear, offset: Double, now: Double) -> Picture? {
        guard graphics.isThere else { return nil }
        let ear = ear()
        if let movement = shown.movement(
            period: ear.period, isRendered: ear.hears, part: loop.part)
        {
            graphics.look(movement, at: now, delay: ear.delay, offset: offset)
        }
        return graphics.picture
    }

    /// The line that is heard of what plays on bus 0, empty where none is; nil without lyrics.
    var shownLine: String? { shownLyrics.isTimed ? shownLyrics.view?.present ?? "" : nil }

    /// The lyrics of what plays on bus 0, and what of them is heard.
    var shownLyrics: SongLyrics { interlude?.lyrics ?? lyrics[0] }

    /// Shows the words of the take that is played in the songs' place.
    func setTakeWords(_ words: Lyrics) throws(DuetError) {
        takeWords = words
        try setWords(words)
    }

    /// Shows words of the present song that come from elsewhere than its file.
    func setWords(_ words: Lyrics) throws(DuetError) {
        lyrics[0].take(.lyrics(words))
        settlingEnd = Clock.seconds + Self.settlingTime
        if interlude == nil { try journal.report(.words(bus: 0, words)) }
    }

    // MARK: Keys

    /// Pauses, seeks or skips in all songs.
    func obey(_ request: SongRequest) throws(Refusal) {
        settlingEnd = Clock.seconds + Self.settlingTime
        if let interlude, try interlude.obey(request) { return }
        switch request {
        case .play(let plays) where !areOver:
            isPausedByUser = !plays
            for player in players where !isVoice(player) { player.setPaused(!plays) }
        case .play: throw Refusal(reason: "the songs are over")
        case .seek(by: let seconds) where haveVoices:
            guard !areOver || seconds < 0 else { throw Self.noSong }
            try moveTogether(to: main.seekOrigin + seconds)
        case .locate(let seconds) where haveVoices: try moveTogether(to: seconds)
        case .previous where haveVoices: try moveTogether(to: 0)
        case .seek(by: let seconds):
            let moved = players.map { $0.seek(by: seconds) }
            guard moved.contains(true) else { throw Self.noSong }
        case .locate(let seconds):
            let moved = players.map { $0.seek(to: seconds) }
            guard moved.contains(true) else { throw Self.noSong }
        case .loop(let loop):
            try loop.check()
            setLoop(loop, by: .user)
            for player in players { player.repeatPart(loop.part.flatMap { part(of: player, $0) }) }
        case .next, .previous:
            let moved = players.map { $0.skip(request == .next ? 1 : -1) }
            guard moved.contains(true) else { throw Refusal(reason: "no next song") }
        }
    }

    /// Whether a player is that of a take's voice.
    private func isVoice(_ player: SongPlayer) -> Bool { haveVoices && player.bus > 0 }

    /// Moves a take's song and its voices, in seconds of the song, which begins there when all are there.
    private func moveTogether(to seconds: Double) throws(Refusal) {
        let place = min(max(0, seconds), main.position?.duration ?? .infinity)
        // The voices first: the song's thread then finds them on their way.
        let moved = players.reversed().map { player in
            player.seek(to: isVoice(player) ? max(0, place - voiceOffset) : place)
        }
        guard moved.last == true else { throw Self.noSong }
    }

    /// What of a player's sound belongs to a part of the song.
    private func part(of player: SongPlayer, _ part: SongPart) -> SongPart? {
        guard isVoice(player) else { return part }
        return SongPart(
            from: max(0, part.start - voiceOffset), to: max(0, part.end - voiceOffset))
    }

    /// Moves a take's voices against its song; at once, where the song plays.
    func setVoiceOffset(_ seconds: Double) {
        let distance = abs(seconds - voiceOffset)
        voiceOffset = seconds
        for player in players where isVoice(player) {
            player.offset = seconds
            guard let position = main.position else { continue }
            // A short way is gone within the cycles, where the song plays.
            if distance > 0.05 || !main.sounds || isPaused || player.isOver {
                // What comes early waits, and what comes late would be left out.
                let ahead = main.sounds && !isPaused ? 0.15 : 0
                _ = player.seek(to: max(0, position.seconds - seconds + ahead))
            }
            player.repeatPart(loop.part.flatMap { part(of: player, $0) })
        }
    }

    /// Who sings the song of that id on a bus; nil: nobody is named.
    func singer(ofSong id: Int, bus: Int) -> String? {
        players[bus].queue?.listedSong(id)?.singer
    }

    private func setLoop(_ new: SongLoop, by origin: Origin) {
        let changes = new.changes(from: loop)
        loop = new
        if !changes.isEmpty { journal.tell(.changes(changes, by: origin)) }
    }

    /// A song that users have chosen begins: all play, but what waits.
    private func noteBeginning() {
        isPausedByUser = false
        interlude?.fadeOut(seconds: Self.fadeTime, resumesSongs: false)
        setLoop(SongLoop(), by: .song)
        for player in players where !player.waits { player.setPaused(false) }
    }

    /// Refuses a value that the songs of a bus cannot have.
    func check(_ parameter: MixParameter, _ value: Double, bus: Int) throws(Refusal) {
        if players.indices.contains(bus) { try players[bus].check(parameter, value) }
    }

    /// Does `effects` to the songs of a bus.
    func setEffects(_ effects: SongEffects, bus: Int) {
        guard players.indices.contains(bus) else { return }
        players[bus].effects = effects
        // The demo's singer sings in the song's key.
        if bus == 0, voice != nil { players[1].effects = SongEffects(tuning: effects.tuning) }
    }

    /// Does `effects` to a song that comes, by its number on its bus.
    func setEffects(_ effects: SongEffects, ofSong number: Int, bus: Int) {
        players[bus].setEffects(effects, ofSong: number)
    }

    static let noSong = Refusal(reason: "there is no song to move")

    // MARK: JACK

    /// Keeps as much of each song ready as cycles of `frames` frames need.
    func setPeriod(_ frames: Int) {
        interlude?.player.setPeriod(frames)
        for player in players { player.setPeriod(frames) }
    }

    /// Whether no song would run dry in a cycle of `frames` frames.
    func areReady(forPeriod frames: Int) -> Bool {
        players.allSatisfy { $0.isReady(forPeriod: frames) }
    }

    /// Moves each song to where `transport` is.
    func follow(_ transport: JackTransport) throws(DuetError) {
        for player in players { try player.follow(transport, report: report(of: player)) }
    }

    /// Whether it is known of each bus what plays there, or that nothing does.
    var areOpen: Bool { players.allSatisfy(\.isOpen) }

    /// Where the songs begin, in seconds.
    var start: Double { players.map(\.plan.start.seconds).max() ?? 0 }

    /// Where the songs are, in seconds: the place of the first that is not over.
    var place: Double { (players.first { !$0.isOver } ?? players[0]).position?.seconds ?? 0 }

    // MARK: Facts

    /// Whether what plays stands still until users play on.
    var isPaused: Bool {
        interlude?.isPaused ?? (isPausedByUser || players.contains(where: \.waits))
    }

    /// What the first song is called that waits for users to play on; nil: none does.
    var waitingTitle: String? { players.lazy.compactMap(\.waitingTitle).first }

    /// Whether a song stands at its first frame until its singer begins.
    var waitsForSinger: Bool {
        // A list that was left between two songs goes on there.
        interlude == nil
            && (main.waits
                || main.plan.waitsAtStart && isPausedByUser && main.position?.seconds ?? 1 < 0.05)
    }

    /// Whether nobody sings: the next song waits for its singer, all are over, or there is none yet.
    var isBreak: Bool {
        interlude == nil && (waitsForSinger || canComeBack || main.state == .noSong)
    }

    /// Whether all songs are over.
    var areOver: Bool { players.allSatisfy(\.isOver) }

    /// Whether the run goes on as far as the songs have a say.
    var keepRunGoing: Bool { !hasSongs || staysOpen || !areOver }

    /// Whether the songs are over, and keys can bring them back in this run.
    var canComeBack: Bool { areOver && staysOpen && players.contains(where: \.canGoBack) }

    /// Why the songs were lost; nil when they were not.
    var failure: DuetError? { players.compactMap(\.failure).last }

    /// How often a song ran dry.
    var underruns: Int { players.map(\.underruns).reduce(0, +) }

    /// The songs of each bus by their names, and who sings them; nil: as the plan says. Those of a whole list
    /// are told in any case.
    func lists(whole: Bool) -> [(names: [String], singers: [Int: String])?] {
        players.map { whole || $0.isListEdited ? $0.list : nil }
    }

    /// Where each bus is in its songs.
    func places(inWholeList isWhole: Bool) -> [SessionState.Place] {
        players.map { $0.place(inWholeList: isWhole) }
    }

    /// The songs of bus 0.
    var main: SongPlayer { players[0] }

    /// What the status line shows: the songs of bus 0, or the take in between.
    var shown: SongPlayer { interlude?.player ?? main }

    /// What is heard of each bus now.
    var heard: [HeardSong?] {
        players.map { isVoice($0) || voice != nil && $0.bus == 1 ? nil : $0.heardNow }
    }

    /// Whether a song, or a take, can be heard now.
    var canBeHeard: Bool { shown.sounds || players.contains(where: \.sounds) }

    /// Whether a song can be heard to which somebody may sing.
    var isSongHeard: Bool { interlude == nil && main.sounds }

    /// Whether `bus` has a song that cannot be heard now; false for a bus with a microphone, or
    /// with the demo's voice in its place.
    func isSilent(bus: Int) -> Bool {
        bus < players.count && (bus == 0 || voice == nil && !voicesAreInSong)
            && !(bus == 0 ? shown : players[bus]).sounds
    }
}

// MARK: A take in between

extension LiveSongs {
    /// Seconds in which a take fades out that is left: enough for the fade and some cycles.
    private static let fadeTime = 0.1

    /// Plays a take while the songs stand still.
    func begin(_ interlude: Interlude, period: Int) throws(DuetError) {
        try interlude.start()
        interlude.player.setPeriod(period)
        self.interlude = interlude
        settlingEnd = Clock.seconds + Self.settlingTime
        for player in players where !isVoice(player) { player.setPaused(true) }
        try journal.report(.takePlayed(folder: interlude.folder, isOver: false))
        // Its words come when they are read.
        if lyrics[0].lyrics != nil { try journal.report(.words(bus: 0, nil)) }
    }

    /// Leaves the take, if one is played: it fades out, and the songs play on if they did.
    func leaveInterlude(resumesSongs: Bool) {
        interlude?.fadeOut(seconds: Self.fadeTime, resumesSongs: resumesSongs)
    }

    /// Shows the words of the take that is played in between.
    func setInterludeWords(_ words: Lyrics, of folder: FileName) throws(DuetError) {
        guard let interlude, interlude.folder == folder else { return }
        interlude.setWords(words)
        settlingEnd = Clock.seconds + Self.settlingTime
        try journal.report(.words(bus: 0, words))
    }

    /// Brings the songs back to where they were.
    func endInterlude() throws(DuetError) {
        guard let interlude else { return }
        interlude.player.stop()
        (self.interlude, settlingEnd) = (nil, Clock.seconds + Self.settlingTime)
        if interlude.resumesSongs {
            for player in players where !isVoice(player) && !player.waits {
                player.setPaused(isPausedByUser)
            }
        }
        try journal.report(.takePlayed(folder: interlude.folder, isOver: true))
        try journal.report(.nowPlaying(bus: 0, main.nowPlaying))
        try journal.report(.words(bus: 0, lyrics[0].lyrics))
        guard let view = lyrics[0].view else { return }
        try journal.report(.lyrics(bus: 0, view, seconds: lyrics[0].heard))
    }
}
