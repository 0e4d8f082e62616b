import AudioGraph
import JackIO
import SystemSupport

/// Shows a live run: its levels to scripts, and the status line with the user's notes to people.
///
/// Main thread.
final class LiveDisplay: JournalListener {
    /// How long a note stays below the status line, in seconds.
    private static let noteTime = 2.0

    private let server: ServerConnection
    private let mix: LiveMix
    private let transport: TransportLink?
    private let takes: TakeRecorder
    private let wantsLevels: Bool
    /// What people see; nil for scripts.
    private let view: (any View)?
    /// Terminals elsewhere.
    private let audience: [any ScreenAudience]
    private let journal: Journal
    private let screen: LiveScreen
    private let finder: MusicFinder
    private let words: WordsFetcher
    private let tapper: WordsTapper
    /// The name of the key that plays on.
    private let playKey: String
    /// What is said when a song that stands alone is over, and while there is none.
    private let (againNote, emptyNote): (String, String)
    /// What is said while a take is played in between.
    private let takeNote: String?
    private var status = Status()
    /// When levels or the status line are due, in seconds of the clock, and when the note goes
    /// away.
    private var (dueTime, noteEnd) = (0.0, 0.0)
    /// When the status was shown last.
    private var shownTime = 0.0

    init(
        server: ServerConnection, mix: LiveMix, transport: TransportLink?, takes: TakeRecorder,
        keys: KeyTable, canType: Bool, isReachable: Bool, wantsLevels: Bool,
        view: (any View)?, audience: [any ScreenAudience], leftOpen: Set<String>,
        finder: MusicFinder, words: WordsFetcher, tapper: WordsTapper, journal: Journal
    ) {
        (self.finder, self.words, self.tapper) = (finder, words, tapper)
        self.audience = audience
        self.takes = takes
        takeNote = keys.name(of: .playTake).map { "\($0) returns to the song" }
        playKey = keys.name(ofLine: "toggle \(RunState.play.rawValue)") ?? "play"
        let ways = [
            keys.name(ofLine: "toggle \(RunState.play.rawValue)").map { "again: \($0)" },
            keys.name(of: .quit).map { "\($0) quits" },
        ]
        let typeKey =
            canType ? keys.name(of: .typeSong) : nil
        let way =
            typeKey.map { "press \($0) to add one" }
            ?? (isReachable ? "add one with 'duet add SONG'" : nil)
        (againNote, emptyNote) = (
            ways.compactMap { $0 }.joined(separator: " · "),
            "no song yet" + (way.map { "; \($0)" } ?? "")
        )
        self.server = server
        self.mix = mix
        self.transport = transport
        (self.wantsLevels, self.view, self.journal) = (wantsLevels, view, journal)
        screen = LiveScreen(server: server, mix: mix, leftOpen: leftOpen, playKey: playKey)
    }

    /// Seconds until something is due.
    var secondsLeft: Double { dueTime - Clock.seconds }

    func hear(_ news: Journal.News) {
        switch news {
        case .changes: screen.takeChanges()
        // A line is shown when it is heard.
        case .event(let event) where event.name == "lyrics": hurry()
        case .heard, .song, .event, .settled: break
        }
    }

    /// Takes back the marks of strips that were at full scale.
    func clearClips() { screen.clearClips() }

    /// Shows soon what has changed, but no more than thirty times a second.
    func hurry() {
        if view != nil || hasAudience { dueTime = min(dueTime, shownTime + 1.0 / 30) }
    }

    /// Puts `text`, which may quote others, below the status line for a while; nil: nothing.
    func note(_ text: String?) {
        guard let text else { return }
        let note = String(SafeText.clean(text).prefix(200))
        status.note = note
        view?.note(note)
        noteEnd = Clock.seconds + Self.noteTime
        hurry()
    }

    /// Shows the line that users type into; nil: they do not type any more.
    func showTyped(_ line: TypedLine?) {
        status.typed = line?.shown
        status.typedNote = line?.note
        view?.showTyped(line)
        hurry()
    }

    /// Shows what is due.
    ///
    /// - Parameters:
    ///   - xruns: how many dropouts JACK has told so far.
    ///   - strip: the number of the strip that keys change.
    func update(xruns: Int, strip: Int) throws(DuetError) {
        let now = Clock.seconds
        guard now >= dueTime else { return }
        dueTime = now + (view?.showInterval ?? (wantsLevels ? 0.1 : 1))
        try mix.measureLoudness(wantsLevels || view?.page == .details)
        if wantsLevels {
            try journal.report(
                .levels(mix.levels, out: mix.outputLevels, loudness: mix.loudness))
        }
        let hasAudience = hasAudience
        guard view != nil || hasAudience else { return }
        shownTime = now
        updateStatus(xruns: xruns, now: now)
        guard hasAudience || view?.showsScreen == true else { return try view?.show(status) ?? () }
        let buses = mix.plan.buses.indices.map { isSilent || mix.songs.isSilent(bus: $0) }
        var screen = screen.state(
            status, isSilent: buses + [isSilent || mix.isSilent], selected: strip, now: now)
        if hasAudience {
            dueTime = min(dueTime, now + screen.interval)
            for others in audience where others.isPresent { others.show(screen) }
        }
        if view?.page == .find { screen.find = finder.view }
        if view?.page == .words { screen.wordsChoice = words.view }
        tapper.isShown = view?.page == .tap
        if tapper.isShown { screen.tap = tapper.view }
        screen.lyrics?.source = words.source
        try view?.show(screen)
    }

    private var hasAudience: Bool { audience.contains(where: \.isPresent) }

    /// Shows that the run ends, `afterAll` by the end of the songs.
    func showEnd(afterAll: Bool, xruns: Int) throws(DuetError) {
        if afterAll { updateStatus(xruns: xruns, now: Clock.seconds) }
        status.state = afterAll ? .ended : .stopping
        (status.note, status.standingNote, status.typed, status.typedNote) = (nil, nil, nil, nil)
        status.recording = nil
        try view?.show(status)
    }

    /// Shows last that the run has ended, where it was not by the end of the songs.
    func showStopped() throws(DuetError) {
        guard status.state == .stopping else { return }
        status.state = .stopped
        status.lyrics = nil
        try view?.show(status)
    }

    private func updateStatus(xruns: Int, now: Double) {
        let songs = mix.songs
        status.state = state
        if let position = songs.shown.position {
            status.position = position.seconds
            status.duration = position.duration
            status.buffered = position.buffered
        }
        status.lyrics = songs.shownLine
        status.song = strip(0, name: status.song.name)
        status.others = mix.plan.second.names.enumerated().map { strip(1 + $0, name: $1) }
        status.out = isSilent || mix.isSilent ? .floor : mix.outputLevels.louderPeak
        let latency = server.latency
        status.hasMicrophone = latency != nil
        // The latency of a way that is not connected is 0 for JACK.
        let isKnown =
            server.client.isMonitoring && latency?.isKnown(period: server.client.period) == true
        status.latency = isKnown ? latency?.milliseconds : nil
        status.xruns = xruns
        status.recording = takes.light
        status.standingNote = standingNote
        if now >= noteEnd { status.note = status.standingNote }
    }

    /// What is shown while no other note is.
    private var standingNote: String? {
        let songs = mix.songs
        if songs.interlude != nil { return takeNote }
        if songs.shown.state == .noSong { return emptyNote }
        if songs.canComeBack {
            let end = songs.list.count > 1 ? "end of list" : "end of song"
            return againNote.isEmpty ? end : "\(end) · \(againNote)"
        }
        return songs.shown.openingNote
            ?? songs.waitingTitle.map { "next: \($0), press \(playKey)" }
    }

    private var state: Status.State {
        let isHeld = transport.map { !$0.isRolling } ?? mix.songs.isPaused
        if server.isLossReported { return isHeld ? .pausedWithoutServer : .serverLost }
        if server.hangs { return isHeld ? .pausedWhileServerHangs : .serverHangs }
        return mix.songs.shown.state
    }

    private func strip(_ bus: Int, name: String) -> Status.Strip {
        // Silence shows at once: a meter that falls for seconds would look like sound.
        let isSilent = isSilent || mix.songs.isSilent(bus: bus)
        return Status.Strip(
            name: name, peak: isSilent ? .floor : mix.levels[bus].louderPeak,
            isMuted: mix.plan.isMuted(bus: bus), isHeld: mix.heldMicrophones.contains(bus))
    }

    /// Whether nothing is rendered.
    private var isSilent: Bool { !server.isConnected || server.hangs }
}
