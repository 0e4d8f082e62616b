import AudioGraph
import AudioMedia
import JackIO
import SystemSupport

/// Plays the songs of one bus, one after the other, and tells what it sees of them.
///
/// Main thread; the songs' own thread reaches it through the inbox alone.
final class SongPlayer {
    /// What a queue's thread says.
    struct Message: Sendable {
        var bus: Int
        var event: SongEvent
    }

    /// How events call it.
    let bus: Int
    private let mixerBus: Int
    let plan: SongPlan
    private var mix: MixGraph
    private let inbox: Inbox<Message>
    private(set) var queue: SongQueue?
    private(set) var source: SongSource?
    /// What is done to the songs, as far as it can be.
    var effects: SongEffects {
        didSet { queue?.effects = plan.possible(effects) }
    }
    /// Does `effects` to the song of that number, which is told of and not heard yet.
    func setEffects(_ effects: SongEffects, ofSong number: Int) {
        queue?.setEffects(plan.possible(effects), ofSong: number)
    }
    /// By how many seconds it comes later than the song that it goes along with.
    var offset = 0.0 {
        didSet { setOffset() }
    }
    var observed = Observed()
    var follower = TransportFollower()
    /// For each of the queue's songs its number in the plan.
    private(set) var numbers: [Int] = []
    /// What the songs of the list are called, and who sings them, as of which version of it.
    private var names: [String] = []
    private var singers: [Int: String] = [:]
    private var namesVersion = -1

    /// What was told of the present song.
    struct Observed {
        /// Whether `playing` was the last that was said.
        var isPlaying = false
        /// Why the connection is tried again, and when, in seconds of the clock.
        var retry: (reason: String, time: Double)?
        /// What the song waits for that is being opened.
        var wait: (song: Location, for: SongEvent.Awaited)?
        /// Whether the song that was told of last has ended.
        var hasEnded = false
    }

    /// The song that was told of last.
    private(set) var heard: SongDescription?
    /// What the present song is called.
    private(set) var title = SongTitle()
    /// The song that was opened last, as other programs show it.
    private var openedSong: NowPlaying?
    private var reportedSong: NowPlaying?

    /// The song that plays, as other programs show it; nil if all are over.
    var nowPlaying: NowPlaying? { isOver ? nil : openedSong }

    /// Takes the song that plays, or that none does; nil if that is as it was taken last.
    func takeNowPlaying() -> NowPlaying?? {
        guard nowPlaying != reportedSong else { return nil }
        reportedSong = nowPlaying
        return .some(nowPlaying)
    }

    /// Why the last song was lost; nil when it was not.
    private(set) var failure: DuetError?
    /// Whether that was told: else the run ends with it.
    private var isFailureTold = false
    /// Whether the song that users have chosen plays when it begins, though the one before is paused.
    private var playsChoice = false
    /// Whether all songs are over.
    private(set) var isOver = false
    /// Whether a key, or the transport, took the present song to its end, so that no more of it
    /// was heard.
    private(set) var endWasSought = false
    /// What moved the song to where it stands.
    private var mover: Mover

    private enum Mover {
        /// The option --start-at.
        case option
        /// A session, which keeps the place.
        case session
        /// A key, or JACK's transport.
        case user
    }

    /// A player of `plan` on input `mixerBus` of the mixer.
    init(bus: Int, mixerBus: Int, plan: SongPlan, mix: MixGraph, inbox: Inbox<Message>) {
        self.bus = bus
        self.mixerBus = mixerBus
        self.plan = plan
        effects = plan.effects
        mover = plan.startIsAsked ? .option : .session
        self.mix = mix
        self.inbox = inbox
        if let takeTitle = plan.takeTitle { title.take(takeTitle) }
    }

    /// Underruns so far.
    var underruns: Int { pastUnderruns + (source?.underruns ?? 0) }
    /// Underruns of the sources before the present one.
    private var pastUnderruns = 0

    /// Begins where the plan says.
    func start(report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        var songs: [Location] = []
        var singers: [Int: String] = [:]
        var refused: [SongError] = []
        for (number, name) in plan.songs.enumerated() {
            do throws(SongError) {
                let song = try Location(name)
                singers[songs.count] = plan.singers[number]
                songs.append(song)
                numbers.append(number)
            } catch {
                refused.append(error)
            }
        }
        if plan.songs.isEmpty { isOver = true }
        if let hold = plan.tuningHold, plan.possible(effects) != effects {
            try report(.warning(message: hold, about: .song(bus: bus)))
        }
        for (index, error) in refused.enumerated() {
            let isLast = songs.isEmpty && index == refused.count - 1
            try lose(DuetError(error), isLast: isLast, report: report)
        }
        guard !songs.isEmpty else { return }
        let named = numbers.firstIndex(of: plan.namedSong)
        var lyrics = LyricsRequest(song: named ?? 0)
        if let name = plan.lyrics, named != nil {
            do throws(SongError) { lyrics.named = try Location(name) } catch {
                try report(.warning(message: DuetError(error).line))
            }
        }
        let stems = StemRequest(named: named == nil ? nil : plan.stems, song: named ?? 0)
        let queue = try makeQueue(songs, singers: singers, lyrics: lyrics, stems: stems)
        let place = plan.start.song
        // The place to begin at is meant for one song: where that has no address, the next begins at
        // its start.
        guard let first = numbers.firstIndex(of: place.song) else {
            return queue.start(
                in: SongPlace(song: numbers.firstIndex { $0 > place.song } ?? 0))
        }
        queue.start(at: plan.start.seconds, in: SongPlace(song: first, part: place.part))
    }

    /// The queue of `songs`, in a place of the graph of its own; it is not started.
    func makeQueue(
        _ songs: [Location], singers: [Int: String], lyrics: LyricsRequest, stems: StemRequest
    ) throws(DuetError) -> SongQueue {
        let source = try mix.addSong(bus: mixerBus)
        let queue = SongQueue(
            songs, singers: singers, source: source, loops: plan.rules.loops,
            isExact: plan.rules.transport != .none,
            appliesGain: plan.rules.appliesGain, effects: plan.possible(effects), lyrics: lyrics,
            stems: plan.whole(stems), tellsOfSongs: plan.tellsOfSongs,
            pausesBetween: plan.rules.pausesBetween
        ) { [inbox, bus] event in inbox.post(Message(bus: bus, event: event)) }
        self.source = source
        self.queue = queue
        setOffset()
        return queue
    }

    private func setOffset() {
        guard let source else { return }
        source.offset = Int(nearest: offset * Double(source.feed.sampleRate))
    }
}

// MARK: The list

extension SongPlayer {
    /// Another song begins from its start, and plays, once it is open. Until then the one before goes
    /// on, or stands still.
    func begin(_ move: () -> Void) {
        playsChoice = true
        goToNext()
        move()
    }

    /// Whether the song that users have chosen begins with `event`, and is to play.
    func takesChoice(with event: SongEvent) -> Bool { event == .choiceBegins && playsChoice }

    /// Whether the run goes on as far as these songs have a say: they are over.
    var staysOpen: Bool {
        // The demo ends by itself.
        !plan.isDemo && plan.stay.stays(hasSounded: heard != nil, endWasSought: endWasSought)
    }

    /// Another song begins from its start; it plays, or stands still, as the one before did.
    func goToNext() {
        observed = Observed()
        reopen()
    }

    /// The number in the list of the song that lyrics and stems were named for; nil: it is not there any
    /// more.
    var namedSong: Int? {
        numbers.firstIndex(of: plan.namedSong).flatMap {
            queue?.number(ofGiven: SongPlace(song: $0))
        }
    }

    /// The songs of the list by their names, and who sings them. They are gathered anew only when the list has
    /// changed.
    var list: (names: [String], singers: [Int: String]) {
        guard let queue else { return ([], [:]) }
        if namesVersion != queue.listVersion {
            namesVersion = queue.listVersion
            let list = queue.list
            names = list.map(\.source.name)
            singers = Dictionary(
                uniqueKeysWithValues: list.enumerated().compactMap { number, song in
                    song.singer.map { (number, $0) }
                })
        }
        return (names, singers)
    }

    /// Whether users have changed the list; else its songs are those of the plan.
    var isListEdited: Bool { queue.map { $0.isListEdited || numbers.isEmpty } ?? false }
}

// MARK: Another graph

extension SongPlayer {
    /// Goes on in `mix`, which takes the place of another.
    func move(to mix: MixGraph) throws(DuetError) {
        self.mix = mix
        guard let queue else { return }
        pastUnderruns = underruns
        let source = try mix.addSong(bus: mixerBus)
        self.source = source
        setOffset()
        follower.noteOtherRate()
        queue.move(to: source)
    }
}

// MARK: What the keys ask

extension SongPlayer {
    /// Pauses, or plays on.
    func setPaused(_ isPaused: Bool) {
        // Who pauses after a choice wants that song to wait.
        if isPaused { playsChoice = false }
        if isPaused { queue?.pause() } else { queue?.resume() }
    }

    /// Where a seek by so many seconds counts from.
    var seekOrigin: Double { queue?.seekOrigin ?? 0 }

    /// Moves by `seconds`; from the end of the last song only back. False where it cannot.
    func seek(by seconds: Double) -> Bool {
        guard let queue, !isOver || seconds < 0 else { return false }
        // The position is that of a seek under way, so that keys pressed in a row add up.
        return seek(to: max(0, queue.seekOrigin + seconds))
    }

    /// Moves to a place in the present song, in seconds. False where none is open.
    func seek(to seconds: Double) -> Bool {
        guard let queue, queue.info != nil else { return false }
        reopen()
        queue.seek(to: seconds)
        return true
    }

    /// Plays `part` of the present song over and over, or the whole song.
    func repeatPart(_ part: SongPart?) {
        if queue?.info != nil { queue?.repeatPart(part) }
    }

    /// Goes `count` songs on (negative: back; before the first is the first's start, and one back from
    /// the end the last one), and plays. False where there is no next song: nothing is changed then.
    func skip(_ count: Int) -> Bool {
        guard let queue, count < 0 || queue.hasNext else { return false }
        if isOver, count == -1, let song = queue.heardSong {
            begin { queue.play(song, resumes: true) }
        } else {
            begin { queue.skip(by: count, resumes: true) }
        }
        return true
    }

    /// Songs that were over go on from where a seek puts them.
    func reopen() {
        (isOver, mover, endWasSought) = (false, .user, false)
        observed.hasEnded = false
    }

    /// Whether keys bring back what is over: a song was heard, and is not lost for a transport.
    var canGoBack: Bool { queue?.info != nil && (plan.rules.transport == .none || failure == nil) }

    /// JACK takes `frames` frames at once.
    func setPeriod(_ frames: Int) { queue?.setPeriod(frames) }

    /// Stops; returns soon, whatever the network does.
    func stop() { queue?.stop() }

    /// A song cannot be played, or not any more: the next begins, or all are over.
    private func lose(
        _ error: DuetError, isLast: Bool, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard isLast else { return try report(.warning(message: error.line)) }
        try tellFailure(report)
        (failure, isFailureTold) = (error, false)
        // Nothing was ever heard: there is no end to wait for.
        if queue?.info == nil { isOver = true }
        // A last song's loss is what the run ends with, but where something plays on.
        if isOneOfTwo || plan.stay.asked == true { try tellFailure(report) }
    }

    /// Tells why the last song was lost: it is not what the run ends with.
    func tellFailure(_ report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        guard let failure, !isFailureTold else { return }
        isFailureTold = true
        try report(.warning(message: failure.line))
    }

    /// Whether the other bus has songs too.
    private var isOneOfTwo: Bool { mix.mixer.inputs.count == 2 && mix.io.inputChannelCount == 0 }
}

// MARK: What the songs' thread says

extension SongPlayer {
    /// Takes what a song's thread said.
    func take(
        _ message: Message, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard !isOver else { return }
        switch message.event {
        case .opened(let description):
            try plan.checkRole(of: description)
            if plan.stems != nil, plan.songs.count == 1, let queue, !queue.isListEdited,
                queue.listCount > 1
            {
                throw .stemsOfList(Location.shown(plan.songs[0]))
            }
            observed = Observed()
            if !endsWithRefusal {
                try tellFailure(report)
                failure = nil
            }
            (heard, endWasSought) = (description, false)
            title.open(description)
            if let takeTitle = plan.takeTitle { title.take(takeTitle) }
            openedSong = NowPlaying(
                url: title.location, title: title.text, artist: nil,
                duration: description.duration,
                station: description.station?.name.map { SafeText.clean($0) },
                isLive: description.station != nil)
            try report(.source(description.facts(bus: bus, appliesGain: plan.rules.appliesGain)))
            if plan.rules.transport == .follow, !follower.isRolling {
                try report(.paused(bus: bus, at: toldPosition))
            }
        case .tags(let tags):
            title.take(tags)
            if plan.takeTitle == nil {
                openedSong?.title = tags.title ?? openedSong?.title
                openedSong?.artist = tags.artist
                openedSong?.album = tags.album
            }
            try report(
                .tags(
                    bus: bus, title: tags.title, artist: tags.artist, album: tags.album,
                    lyrics: tags.lyrics))
        case .lyrics(let lyrics): try warn(of: lyrics, report)
        case .graphics(let graphics):
            try report(.picture(bus: bus, duration: graphics.duration))
        case .noLyrics(let error):
            try report(.warning(message: DuetError(error).line, about: .song(bus: bus)))
        case .stemLost(let error, let left):
            heard?.know(left, from: .user)
            try report(.stemLost(bus: bus, error, left: left))
        case .stemsFound(let known, let origin):
            heard?.know(known, from: origin)
            try report(.stemsFound(bus: bus, known, from: origin))
        case .title(let text):
            title.take(text)
            openedSong?.title = SafeText.clean(text)
            openedSong?.artist = nil
            try report(.title(bus: bus, text: text))
        case .playing: try reportPlaying(report)
        case .paused:
            observed.isPlaying = false
            // A server that renders as fast as it can is not to wait for the song either.
            if waits { queue?.pause() }
            try report(.paused(bus: bus, at: toldPosition))
        case .buffering:
            try report(.underrun(bus: bus, frames: source?.position ?? 0))
        case .recovered(let seconds): try report(.recovered(bus: bus, seconds: seconds))
        case .reconnecting(let attempt, let fault, let delay):
            observed.retry = (fault.description, Clock.seconds + delay)
            try report(
                .reconnecting(bus: bus, attempt: attempt, reason: fault.description, delay: delay))
        case .seeked(let seconds, _):
            let begins = source?.isPaused == false && beginsToPlay
            try report(
                .seeked(
                    bus: bus, seconds: seconds, duration: toldPosition?.duration,
                    state: begins ? nil : observed.isPlaying ? .playing : .paused))
            // A song that begins in its middle says only so.
            if begins { try reportPlaying(report) }
        case .cannotSeek(let obstacle):
            follower.noteRefusal()
            let text = "cannot seek: \(obstacle)"
            // In a live stream the key was harmless.
            try report(
                heard?.station == nil
                    ? .warning(message: text, about: .song(bus: bus)) : .notice(message: text))
        case .skipped(let error): try lose(DuetError(error), isLast: false, report: report)
        case .failed(let error): try lose(DuetError(error), isLast: true, report: report)
        case .opening(let song, let awaited):
            observed.wait = (song, awaited)
            try report(.opening(bus: bus, url: song.reference, waitsFor: awaited))
        case .hangs(let song, let seconds):
            let message =
                "\(song) has not responded for \(Int(nearest: seconds)) s: its disk may hang"
            try report(.warning(message: message, about: .song(bus: bus)))
        case .passedEnd(let asked, let end, let isLast):
            endWasSought = mover == .user
            guard mover == .option else { break }
            let error = DuetError.startIsBehindEnd(
                song: heard?.location ?? "", asked: asked, end: end)
            try lose(error, isLast: isLast, report: report)
        case .ended(let frames):
            observed.hasEnded = true
            try report(.ended(bus: bus, frames: frames))
        // A key that came meanwhile leads back. A transport that is behind us may, too.
        case .finished where queue?.isFinished == false: break
        case .finished:
            // A song may have been added since the last one ended.
            if let next = queue?.untriedSong, plan.rules.transport == .none {
                begin { queue?.play(next, waits: plan.rules.pausesBetween, resumes: true) }
            } else {
                isOver = plan.rules.transport != .follow || failure != nil
            }
        case .effects(let effects, let frame):
            try report(.effects(bus: bus, frame: frame, effects))
        case .effectsLimited(let limit):
            let topic: Topic =
                switch limit {
                case .live, .rate: .song(bus: bus)
                case .mono, .noVoice: .vocals(bus: bus)
                }
            try report(.warning(message: limit.description, about: topic))
        case .found, .comes, .comesNot, .position, .stopped, .choiceBegins: break
        }
    }

    /// Says what cannot be shown of the lyrics.
    private func warn(
        of lyrics: Lyrics, _ report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        if lyrics.isCut {
            try report(
                .warning(
                    message: "the lyrics are too long: the end is left out", about: .song(bus: bus))
            )
        }
        if !lyrics.isTimed {
            try report(
                .notice(message: "the lyrics have no times: nothing tells when a line is sung"))
        }
    }

    /// Whether it plays, as far as users and the transport have a say, and that was not reported yet.
    private var beginsToPlay: Bool {
        !observed.isPlaying && (plan.rules.transport == .none || follower.isRolling)
            && source?.state != .ended
    }

    func reportPlaying(
        _ report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard beginsToPlay else { return }
        observed.isPlaying = true
        try report(.playing(bus: bus, at: toldPosition))
    }

    /// Whether what follows the song that is heard was refused already, so that the run ends with that.
    private var endsWithRefusal: Bool {
        guard let queue, queue.followingSong == nil, case .refused? = queue.list.last?.state
        else { return false }
        return true
    }
}
