/// Tells what the songs of a line are, and what happens to them. For one thread.
final class SongTeller {
    private let control: SongControl
    private let line: SongLine
    private let clock: () -> Double
    private let lyrics: LyricsRequest?
    private let lyricsLoader = LyricsLoader("lyrics")
    private let graphicsLoader = NewestLoader<CDGraphics>("graphics")
    private var titleLimit = RateLimit(perSecond: 2, atOnce: 4)
    private var lastToldSecond: Int64?
    /// The song that is to begin, and since when it is waited for; whether that was told.
    private var awaited: (entry: Int, since: Double, isTold: Bool)?
    /// How long a song may be opened until it is told what it waits for, in seconds.
    private static let patience = 1.0
    /// The song that was told to come (`SongEvent.comes`), and when.
    private var coming: (number: Int, frame: Int)?
    /// A title that is heard and was not told: titles come faster than anybody reads.
    private var title: String?

    init(
        of line: SongLine, to control: SongControl, lyrics: LyricsRequest?,
        clock: @escaping () -> Double
    ) {
        self.line = line
        self.control = control
        self.lyrics = lyrics
        self.clock = clock
    }

    deinit {
        lyricsLoader.cancel()
        graphicsLoader.cancel()
    }

    /// Tells what happened to the bytes of the songs, as far as it concerns what is heard.
    func tellNews() {
        for track in [line.track, line.next, line.wished].compactMap({ $0 }) {
            for retry in track.takeRetries() {
                line.mark(track, retriedIn: retry.delay, because: retry.fault)
                // Another song may still come in time.
                if track === line.track {
                    control.emit(
                        .reconnecting(
                            attempt: retry.attempt, fault: retry.fault, delay: retry.delay))
                }
            }
        }
        if let next = line.next, next.isOpen, !next.isNamed {
            next.isNamed = true
            line.name(next, next.facts.tags)
        }
    }

    /// Tells what `track` waits for, which is to begin as soon as it is open, where that takes long.
    func tellOpening(of track: Track?) {
        guard let track, !track.isOpen else { return awaited = nil }
        if awaited?.entry != track.entry { awaited = (track.entry, clock(), false) }
        guard let old = awaited, !old.isTold, clock() - old.since >= Self.patience else { return }
        awaited?.isTold = true
        if case .absent? = line.list.entry(track.entry)?.state { return }
        control.emit(.opening(track.location, waitsFor: track.awaited))
    }

    /// Tells which song follows the one that is heard, and in which frame of the graph. `boundary` is its
    /// place in `ring`; nil: the next song does not begin by itself now.
    func tellComing(at boundary: Int?, in ring: StagedRing) {
        guard let boundary, let next = line.joints.dropFirst().first?.before ?? line.track,
            next.number > 0
        else {
            if coming != nil { control.emit(.comesNot) }
            return coming = nil
        }
        let frame = ring.graphFrame(of: boundary)
        // A place between two frames is rounded anew.
        if let coming, coming.number == next.number, abs(coming.frame - frame) <= 1 { return }
        coming = (next.number, frame)
        control.emit(.comes(number: next.number, frame: frame))
    }

    /// Tells what the song is that is heard from now on.
    func announce() {
        coming = nil
        guard let track = line.heardTrack else { return }
        let facts = track.facts
        guard let format = facts.format else { return }
        line.noteBeginning(of: track)
        let description = SongDescription(
            location: track.location.reference, format: format, duration: facts.duration,
            isSeekable: facts.isSeekable, station: facts.station, gain: facts.gain?.gain ?? 1,
            knownVoice: facts.knownVoice, stemOrigin: facts.stemOrigin, number: track.number)
        let entry = line.list.entry(track.entry)
        line.noteHeard()
        control.update {
            $0.description = description
            if let entry { $0.place = entry.place }
        }
        // What is still read belongs to the song before.
        lyricsLoader.cancel()
        graphicsLoader.cancel()
        control.emit(.opened(description))
        tellTags(track.takeTags(), of: track)
        title = nil
        lookForLyrics(of: track, entry)
    }

    /// Has the lyrics and the picture of `track` read: the lyrics that users name, that its list names, or
    /// that are beside it.
    private func lookForLyrics(of track: Track, _ entry: ListEntry?) {
        guard let lyrics else { return }
        let place = SongPlace(song: lyrics.song)
        let isNamed = (entry?.place ?? place) == place
        let named = isNamed ? lyrics.named ?? entry?.words : entry?.words
        let beside = track.filesBeside
        lyricsLoader.load(
            named.map { .named($0) } ?? .beside(track.location, beside)
        ) { [control] found in
            switch found {
            case .success(let lyrics): control.emit(.lyrics(lyrics))
            case .failure(let error): control.emit(.noLyrics(error))
            }
        }
        let song = track.location
        guard case .file = song else { return }
        graphicsLoader.load(
            "the picture of \(song)",
            { isOutdated throws(SongError) in
                try GraphicsFile.read(beside: song, among: beside, unless: isOutdated)
            },
            { [control] found in
                switch found {
                case .success(let graphics): control.emit(.graphics(graphics))
                case .failure(let error): control.emit(.noLyrics(error))
                }
            })
    }

    /// Tells what is found out about the song that is heard: its tags, and that it is lost, while
    /// what is kept of it still plays.
    func tellTagsAndLoss() {
        guard line.joints.isEmpty, let track = line.track else { return }
        if let own = track.takeTags() { tellTags(own, of: track) }
        if let (known, origin) = track.takeStemGain() {
            control.emit(.stemsFound(known, origin))
        }
        for loss in track.takeStemLosses() {
            control.emit(.stemLost(loss, left: track.facts.knownVoice))
        }
        if let failure = track.failure, !track.isFailureTold {
            track.isFailureTold = true
            control.lose(failure, isLast: line.following == nil)
        }
    }

    private func tellTags(_ own: SongTags?, of track: Track) {
        line.name(track, own)
        let listed = line.list.entry(track.entry)?.title
        if let tags = SongTags(own, listed: listed) { control.emit(.tags(tags)) }
    }

    /// Tells the newest title, which is `heard` from now on, a few a second at most.
    func tellTitle(heard newest: String?) {
        title = newest ?? title
        guard let title, titleLimit.allows(at: clock()) else { return }
        self.title = nil
        control.emit(.title(title))
    }

    /// Tells that `track` has ended after `frames` frames. `landing`: the place in it that was
    /// sought, where no frame came after that.
    func tellEnd(
        of track: Track, frames: Int64, landing: SeekProgress.Landing?, isLast: Bool
    ) {
        if let landing {
            let end = track.duration.flatMap { $0 <= landing.asked ? $0 : nil }
            control.emit(.passedEnd(asked: landing.asked, end: end, isLast: isLast))
        }
        control.emit(.ended(frames: frames))
    }

    /// Keeps where the song is for whoever asks, and, where it `sounds`, tells it once a second.
    func tell(_ position: SongPosition, sounds: Bool) {
        line.noteHeard()
        let (track, next) = (line.track, line.next)
        control.update {
            $0.position = position
            $0.keptBytes = (track?.keptBytes() ?? 0) + (next?.keptBytes(beside: track) ?? 0)
        }
        let second = Int64(Int(nearest: position.seconds.rounded(.down)))
        guard sounds, second != lastToldSecond else { return }
        lastToldSecond = second
        control.emit(.position(position))
    }

    /// The next position is told at once.
    func forgetPosition() { lastToldSecond = nil }
}

/// Tells of each song before its first frames are decoded for the ring, where that is asked for, and
/// holds it for a moment, so that it begins with the effects that are set for it. For one thread.
final class SongHerald {
    /// How long a song is held, in seconds: what is to be known of it may lie on a disk that hangs.
    private static let patience = 0.25

    private let control: SongControl
    private let isAsked: Bool
    private let clock: () -> Double
    /// The number of the song that was told of last, and until when it is held.
    private var told = (number: 0, end: 0.0)

    init(to control: SongControl, isAsked: Bool, clock: @escaping () -> Double) {
        self.control = control
        self.isAsked = isAsked
        self.clock = clock
    }

    /// Tells of `track` once it is known to be a song.
    func announce(_ track: Track?) {
        guard isAsked, let track, track.isOpen, track.number == 0 else { return }
        told = (told.number + 1, clock() + Self.patience)
        track.number = told.number
        control.emit(.found(track.location, number: told.number, entry: track.entry))
    }

    /// Whether no frame of `track` is to be decoded yet.
    func holds(_ track: Track) -> Bool {
        guard isAsked, track.effects == nil else { return false }
        return track.number == 0 || track.number == told.number && clock() < told.end
    }

    /// Milliseconds until no song is held any more.
    var millisecondsLeft: Int? {
        let left = told.end - clock()
        return left > 0 ? Int(left * 1000) + 1 : nil
    }
}

/// Songs in a row that cannot be opened: the first ten are told one by one, the others are counted,
/// for a playlist may name thousands.
struct RefusalTally {
    private static let told = 10

    private var count = 0

    /// What is told of a song, or of an entry of a playlist, that cannot be opened while others
    /// follow; nil when it is only counted.
    mutating func add(_ error: SongError) -> SongEvent? {
        count += 1
        return count <= Self.told ? .skipped(error) : nil
    }

    /// Ends the row, and gives what is told of those that were only counted; nil: there are none.
    mutating func end() -> SongEvent? {
        let rest = count - Self.told
        count = 0
        guard rest > 0 else { return nil }
        return .skipped(
            .cannotOpen(
                song: rest == 1 ? "1 more song" : "\(rest) more songs",
                .onlyFirstAreNamed(Self.told)))
    }
}

/// How often an event may happen: a few times at once, and on average so many times a second.
struct RateLimit {
    private let perSecond: Double
    private let atOnce: Double
    private var credit: Double
    private var time = -Double.infinity

    /// - Parameters:
    ///   - perSecond: times a second on average, more than 0.
    ///   - atOnce: times at once, at least 1.
    init(perSecond: Double, atOnce: Double) {
        (self.perSecond, self.atOnce, credit) = (perSecond, atOnce, atOnce)
    }

    /// Whether the event may happen at `now`, in seconds of a clock that does not go back; if so it
    /// counts as having happened.
    mutating func allows(at now: Double) -> Bool {
        credit = min(atOnce, credit + (now - time) * perSecond)
        time = now
        guard credit >= 1 else { return false }
        credit -= 1
        return true
    }
}
