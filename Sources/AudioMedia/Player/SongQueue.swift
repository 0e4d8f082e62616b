import AudioGraph
import SystemSupport

/// Songs that stream into a `SongSource` one after the other, without a gap between them: opened,
/// decoded and fed on a thread of their own. A playlist counts as the songs that it names.
///
/// Used by one thread, the control thread. What happens is told as events, by a closure and by
/// any number of asynchronous streams.
///
/// The thread that decodes the songs may still be ending after `stop`. So OpenSSL, which libcurl uses,
/// is told to register no exit handler. A program that uses OpenSSL or libcurl before its first song
/// must call `OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL)` before that, or end by `quick_exit`:
/// `exit` may crash.
public final class SongQueue {
    /// How to stop.
    public enum Stop: Sendable {
        /// Fade out now.
        case immediately
        /// After the frames in the ring, at most about 0.25 s, and those that effects hold back,
        /// at most about 1 s.
        case whenDrained
    }

    let songList: SongList
    private var source: SongSource
    private let limits: NetworkLimits
    private let isExact: Bool
    private let appliesGain: Bool
    private let lyrics: LyricsRequest?
    private let stems: StemRequest?
    private let tellsOfSongs: Bool
    private let pausesBetween: Bool
    /// What is done to the songs' frames, as far as it can be: a live stream keeps its own tempo
    /// (`SongEvent.effectsLimited`). A change is heard within 0.5 s at 24 kHz and above, and `SongEvent.effects` tells from
    /// which frame on.
    public var effects: SongEffects {
        didSet {
            if effects != oldValue, hasStarted, !hasStopped { control.send(.effects(effects)) }
        }
    }
    let control: SongControl
    /// Set when the thread has ended; nil when the system has no descriptor left.
    private let over = EventFlag()
    private var hasStarted = false
    private var hasStopped = false
    /// Whether commands have any effect.
    var isRunning: Bool { hasStarted && !hasStopped }

    /// A queue that is silent and asks for nothing until `start`.
    ///
    /// - Parameters:
    ///   - songs: what to play, in order.
    ///   - singers: who sings which song, by its number in `songs`, from 0; nobody.
    ///   - source: the graph's node to feed; no other queue may be using it.
    ///   - loops: whether the first song follows the last.
    ///   - limits: how long the network may take, and how much of a song is kept.
    ///   - isExact: whether to be exact rather than quick, for drivers that wait. Then a seek, and
    ///     a start in the middle, reads all bytes before the place, however slowly they come, and
    ///     the next song is waited for. Otherwise a seek jumps by an estimate where reading would
    ///     take over 3 s, and a song that comes too late begins after a pause.
    ///   - appliesGain: whether every song is multiplied by what its tags ask for
    ///     (`SongDescription.gain`), from its first frame to its last.
    ///   - effects: what is done to the songs' frames; nothing.
    ///   - lyrics: where lyrics are looked for, on a thread of their own, and told as
    ///     `SongEvent.lyrics`; nil: nowhere. What the songs' tags hold is in `SongTags.lines`.
    ///   - stems: where the files are looked for that songs were taken apart into, on the threads that
    ///     decode them: a song's voice is known by them then (`SongDescription.knownVoice`), and
    ///     `effects` need not find it; nil: nowhere.
    ///   - tellsOfSongs: whether each song is told of (`SongEvent.found`) before its frames are decoded,
    ///     and waits for its effects, 0.25 s at most; false.
    ///   - pausesBetween: whether, when a song is over, the next one is opened and waits at its first
    ///     frame until `resume`; see `waits`.
    ///   - listener: hears every event, on the queue's thread, and those of lyrics on theirs; it must not block for long.
    public init(
        _ songs: [Location], singers: [Int: String] = [:], source: SongSource, loops: Bool = false,
        limits: NetworkLimits = .standard, isExact: Bool = false, appliesGain: Bool = false,
        effects: SongEffects = SongEffects(), lyrics: LyricsRequest? = nil,
        stems: StemRequest? = nil, tellsOfSongs: Bool = false, pausesBetween: Bool = false,
        listener: (@Sendable (SongEvent) -> Void)? = nil
    ) {
        songList = SongList(songs, loops: loops, singers: singers)
        self.source = source
        self.limits = limits
        self.isExact = isExact
        self.appliesGain = appliesGain
        self.effects = effects
        self.lyrics = lyrics
        self.stems = stems
        self.tellsOfSongs = tellsOfSongs
        self.pausesBetween = pausesBetween
        control = SongControl(listener: listener)
    }

    deinit { stop() }

    /// Begins to open and to play, at `seconds` from the beginning of the song at `place` (the
    /// first). Once only. Where the system has no descriptor or no thread left for it, the songs
    /// are lost at once, and that is told as of any other song (`failed`, `finished`).
    public func start(at seconds: Double = 0, in place: SongPlace = SongPlace()) {
        precondition(!hasStarted, "a queue is started once")
        hasStarted = true
        let startTime = seconds.isFinite ? min(max(0, seconds), SongTime.longest) : 0
        let first = startTime > 0 ? PendingSeek(number: 0, seconds: startTime) : nil
        control.update {
            $0.place = place
            $0.seek = first
        }
        let isUsed =
            source.position != 0 || source.state != .waiting || source.feed.bufferedFrames > 0
            || !source.feed.isFlushed
        songList.begin(with: place.song)
        let job = SongJob(
            list: songList, feed: source.feed, control: control, limits: limits,
            part: place.part, seek: first, isExact: isExact,
            appliesGain: appliesGain, effects: effects, tellsOfSongs: tellsOfSongs, lyrics: lyrics,
            stems: stems, pausesBetween: pausesBetween, isFeedUsed: isUsed)
        if source.isPaused { control.send(.paused(true)) }
        guard let over, control.wake != nil else { return lose(.noDescriptor, job) }
        let code = DetachedThread.start("song") {
            SongWorker.run(job)
            job.control.finish()
            over.set()
        }
        if code != 0 { lose(.noThread(code: code), job) }
    }

    /// Tells that nothing will be played, and why.
    private func lose(_ fault: SongFault, _ job: SongJob) {
        hasStopped = true
        let song = songList.decoded.flatMap { songList.entry($0) }
        let error = SongError.cannotOpen(song: song?.location.description ?? "a song", fault)
        control.lose(error, isLast: true)
        job.feed.finish()
        job.feed.release()
        control.tellFinished()
        control.finish()
    }

    /// Sets what is done to the frames of one song, from its first frame on where it was told of a moment
    /// ago (`SongEvent.found`), until `effects` changes while it is heard. Nothing happens where the
    /// song of that number is over, or was passed over.
    public func setEffects(_ effects: SongEffects, ofSong number: Int) {
        guard hasStarted, !hasStopped else { return }
        control.send(.effectsOfSong(effects, number: number))
    }

    /// Says that songs may have been taken apart meanwhile (`StemRequest.separated`): the one that plays goes over
    /// to these files where it is, without a gap.
    public func lookForStems() {
        guard isRunning else { return }
        control.send(.lookForStems)
    }

    /// Pauses the song at once, with a fade of 5 ms; the graph goes on.
    public func pause() { setPaused(true) }

    /// Plays on with the next frame after a pause, or with the first frame of a song that waits.
    public func resume() {
        setPaused(false)
        guard waits else { return }
        control.update { $0.isHeld = false }
        control.send(.paused(false))
    }

    public var isPaused: Bool { source.isPaused }

    /// Whether a song waits at its first frame until `resume`, because the one before is over
    /// (`pausesBetween`); any other song that is asked for ends that.
    public var waits: Bool { control.status.isHeld }

    /// Moves to `seconds` from the beginning, 0…a year; past the end ends the song. Of several
    /// seeks that are under way the newest wins.
    public func seek(to seconds: Double) {
        guard hasStarted, !hasStopped, seconds.isFinite else { return }
        let seconds = min(max(0, seconds), SongTime.longest)
        control.send(to: seconds, reportsArrival: true) { .seek($0) }
    }

    /// Plays `part` of the song that is heard over and over, sample by sample without a gap, until
    /// nil ends that, or another song begins. A song that is beyond the part goes to its start, and
    /// `seeked` is told; a song that is before plays on until the part's end. A part that ends
    /// behind the song's end ends with the song.
    public func repeatPart(_ part: SongPart?) {
        guard hasStarted, !hasStopped else { return }
        let here = position.seconds
        let isBeyond = part.map { here >= $0.end } ?? false
        control.send(to: isBeyond ? part?.start ?? here : here, reportsArrival: isBeyond) {
            .part(part, $0)
        }
    }

    /// Tells that the driver takes `frames` frames at once from now on: as many are kept ready.
    /// 1024 at first; only longer periods need this call.
    public func setPeriod(_ frames: Int) { control.send(.period(frames)) }

    /// Goes on at the same place in another graph, for example for another sample rate: `source` is
    /// unused, and the source before is not rendered any more.
    public func move(to source: SongSource) {
        source.isPaused = self.source.isPaused
        let seconds = position.seconds
        self.source = source
        guard hasStarted, !hasStopped else { return }
        control.send(to: seconds, reportsArrival: false) { .move(source.feed, $0) }
    }

    /// Goes `count` songs forward, or back when negative: before the first song it goes to the
    /// first, past the last it stays; a queue that loops goes round. Songs that cannot be played are
    /// passed over. The song counts as `heardSong` at once; it is opened while the one before goes on,
    /// and plays from its beginning. Where neither it nor another one on the way can be played, that
    /// is told (`SongEvent.skipped`), and the one before goes on.
    ///
    /// - Parameters:
    ///   - count: how many songs to go.
    ///   - resumes: whether a pause ends when the song begins. The queue's thread tells that then
    ///     (`SongEvent.choiceBegins`), and `resume` is to be called.
    public func skip(by count: Int, resumes: Bool = false) {
        guard isRunning else { return }
        let song = songList.choose(by: count)
        control.update { $0.isHeld = false }
        control.send(to: 0, reportsArrival: false) {
            .play(song, $0, waits: false, step: count.signum(), resumes: resumes)
        }
    }

    /// Ends the queue for good. `immediately` returns when its thread has ended, but after 0.3 s
    /// at the latest: a thread that hangs in the system is left to itself.
    public func stop(_ way: Stop = .immediately) {
        guard hasStarted, !hasStopped else { return }
        hasStopped = way == .immediately
        control.send(.stop(drained: way == .whenDrained))
        if way == .immediately { _ = over?.wait(milliseconds: 300) }
    }

    /// The position in the song: the frame that is played next, or the place that a seek under way
    /// goes to, or the song's end where that is earlier.
    public var position: SongPosition {
        let status = control.status
        var position = status.position
        position.seconds =
            status.seek.map { min($0.seconds, position.duration ?? .infinity) }
            // A render thread that waits to play from a new place on still stands at the old one.
            ?? (source.state == .waiting
                ? position.seconds : Double(source.position) / Double(source.feed.sampleRate))
        return position
    }

    /// Where a seek by so many seconds counts from: `position`, or the beginning of a song that was
    /// chosen and is still being opened.
    public var seekOrigin: Double { control.status.choicePlace ?? position.seconds }

    /// The place of the song that is heard, or is opened first, among those that the queue was
    /// given.
    public var place: SongPlace { control.status.place }

    /// What is known of the song that is heard; nil until the first one's first frames have come.
    public var info: SongDescription? { control.status.description }

    /// The files of this machine that were opened so far, of songs and of playlists.
    package var openedFiles: Set<FilePlace> { control.status.files }

    /// Whether all songs are over, and nothing was asked for since that may go on. A seek or a step that
    /// comes when the end is about to be told (`SongEvent.finished`) leads on: where it does not, that
    /// is told again.
    public var isFinished: Bool { control.status.isFinished }

    /// Whether another song follows the one that is heard, as far as is known: a playlist counts
    /// as one song until it is opened.
    public var hasNext: Bool { songList.following != nil }

    /// Why the last song was lost, if it was.
    public var error: SongError? { control.status.error }

    /// Bytes kept: of the present song at most `NetworkLimits.kept`, of the next one, which is
    /// opened ahead, at most `NetworkLimits.readAhead`.
    public var keptBytes: Int { control.status.keptBytes }

    /// Every event from now on, until the song has stopped. Of events that are not read the newest
    /// 256 are kept.
    public func events() -> AsyncStream<SongEvent> { control.events() }

    private func setPaused(_ value: Bool) {
        guard source.isPaused != value else { return }
        source.isPaused = value
        if hasStarted && !hasStopped { control.send(.paused(value)) }
    }
}

/// The list of songs, which may be changed while it is played. What comes next is the song behind the
/// one that is heard, as the list is then; a song that was opened ahead and is not the next any more
/// is dropped.
extension SongQueue {
    /// The most songs that a list has.
    public static var longestList: Int { Playlist.maximumCount }

    /// The songs in their order. A playlist is one song until it is opened; a song that cannot be
    /// played stays, with the reason.
    public var list: [ListedSong] { songList.songs }

    /// Counts the changes of `list` and `heardSong`, also of titles and states.
    public var listVersion: Int { songList.version }

    /// Whether `add`, `remove` or `move` have changed the list.
    public var isListEdited: Bool { songList.isEdited }

    /// The id of the song that is heard, is opened to be heard, or was heard last; after `play` and
    /// `skip` the one that was chosen. Nil: there is none.
    public var heardSong: Int? { songList.present }

    /// The id of the song that was chosen and is still being opened; nil: there is none.
    public var openingSong: Int? { songList.chosen }

    /// The id of the song that follows; nil: none does.
    public var followingSong: Int? { songList.following }

    /// The id of the first song behind `heardSong` that was not found to be missing; nil: there is
    /// none. After `SongEvent.finished` it is one that was added in the last moment.
    public var untriedSong: Int? { songList.untried }

    /// The song of that id; nil: there is none.
    public func listedSong(_ id: Int) -> ListedSong? { songList.entry(id)?.listed }

    /// How many songs there are.
    public var listCount: Int { songList.count }

    /// The number of a song in the list, from 0; nil: it is not there.
    public func number(ofSong id: Int) -> Int? { songList.number(of: id) }

    /// The number in the list, from 0, of the song that is or was in that place among what the queue was
    /// given; nil: it is not in the list any more.
    public func number(ofGiven place: SongPlace) -> Int? { songList.number(ofGiven: place) }

    /// The id of the song of that number, from 0; nil: there is none.
    public func song(at number: Int) -> Int? { songList.id(at: number) }

    /// Puts a song into the list. A queue whose songs are all over does not begin again by itself: see
    /// `play`.
    ///
    /// - Parameters:
    ///   - location: where the song, or a playlist, is.
    ///   - turn: when it comes. In the last moments of a song, when the next one is ready to be heard, the
    ///     next place is behind that.
    ///   - singer: who sings it; nil: nobody is named. The songs of a playlist have its singer.
    /// - Returns: the song and its number, from 0, as it is put there: a playlist may be opened at
    ///   once; nil: the list has `longestList` songs.
    public func add(
        _ location: Location, at turn: ListTurn = .last, singer: String? = nil
    ) -> (song: ListedSong, number: Int)? {
        defer { control.wake?.set() }
        return songList.add(location, at: turn, singer: singer)
    }

    /// Takes a song out of the list. Where it is the one that is heard, the next one begins; it stands
    /// still while the queue is paused, and waits to be resumed where the one before has waited.
    ///
    /// - Parameters:
    ///   - id: as `list` tells it.
    ///   - waits: whether the next one waits to be resumed in any case, as it is to where all songs are
    ///     over and none is heard.
    /// - Returns: false where there is no song of that id, or it is heard and no other follows it.
    public func remove(_ id: Int, waits: Bool = false) -> Bool {
        let (isRemoved, next) = songList.remove(id, isPlayed: isRunning)
        if let next { begin(next, waits: waits || self.waits) } else { control.wake?.set() }
        return isRemoved
    }

    /// Moves a song by `count` places towards the end, or the beginning when negative, as far as
    /// there are any.
    ///
    /// - Returns: false where it stays where it is.
    public func move(_ id: Int, by count: Int) -> Bool {
        defer { control.wake?.set() }
        return songList.move(id, by: count)
    }

    /// Takes the last change by `add`, `remove` or `move` back that was not taken back yet, of the last ten.
    /// Nil: there is none, or it has added the song that is heard.
    public func undoListChange() -> ListUndo? {
        defer { control.wake?.set() }
        return songList.undo()
    }

    /// Whether a change of the list can be taken back.
    public var hasListChange: Bool { songList.hasUndo }

    /// The songs whose files were neither opened nor looked at, at most `count`: first those that come
    /// next. What `SongFinding.read` finds there is for `take`.
    public func unseenSongs(atMost count: Int) -> [(id: Int, location: Location, end: Double?)] {
        songList.unseen(atMost: count).map { ($0.id, $0.location, $0.span.end) }
    }

    /// Takes what was found at `location` for a song of the list: what it is called, its length, or why it
    /// cannot be played. The songs of a playlist take its place.
    ///
    /// - Returns: what of a playlist is left out.
    public func take(
        _ finding: SongFinding, ofSong id: Int, at location: Location
    ) -> [SongError] {
        // A list may have been expanded meanwhile: another song has its id then.
        guard songList.entry(id)?.location == location else { return [] }
        switch finding {
        case .song(let facts):
            songList.note(
                id, title: facts.title, artist: facts.artist, duration: facts.duration)
        case .list(let found):
            // What cannot be opened is told when its turn comes.
            guard let lists = songList.entry(id)?.lists, lists.count < Playlist.maximumDepth else {
                break
            }
            let (songs, refusals) = found.playlist.sorted(in: lists + [location])
            let count = songs.isEmpty ? 0 : songList.expand(id, at: location, to: songs).count
            guard count > 0 else { break }
            control.wake?.set()
            return refusals + Playlist.losses(of: location, added: count, of: songs.count)
        case .refused(let error):
            songList.note(id, fault: error.fault)
            return []
        case .unknown: break
        }
        songList.note(id, fault: nil)
        return []
    }

    /// Plays a song from its beginning, also when all are over. It is opened while the one before goes
    /// on; where it cannot be played, that is told (`SongEvent.skipped`), and the one before goes on.
    /// Of an id that no song has nothing happens; where all are over that is told again
    /// (`SongEvent.finished`).
    ///
    /// - Parameters:
    ///   - id: as `list` tells it.
    ///   - waits: whether it stands at its first frame until `resume`.
    ///   - resumes: as in `skip`.
    public func play(_ id: Int, waits: Bool = false, resumes: Bool = false) {
        guard isRunning else { return }
        songList.choose(id)
        begin(id, waits: waits, resumes: resumes)
    }

    /// Has the song's thread play the song that was chosen.
    private func begin(_ id: Int, waits: Bool, resumes: Bool = false) {
        guard isRunning else { return }
        control.update { $0.isHeld = waits }
        control.send(to: 0, reportsArrival: false) {
            .play(id, $0, waits: waits, step: 0, resumes: resumes)
        }
    }
}
