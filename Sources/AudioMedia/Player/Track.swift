import AudioGraph
import SystemSupport

/// One song of a queue, as its player sees it. A thread of its own opens and decodes it. Until that
/// has found out what it is, it may as well be a playlist.
///
/// For one thread, which no call here holds up.
final class Track {
    let location: Location
    /// Its id in the list of its queue.
    let entry: Int
    private let thread: DecoderThread
    private let limits: NetworkLimits
    private let stems: StemPlace
    /// What is beside it; nil: it is no file.
    let filesBeside: FilesBeside?
    /// What of its file is the song.
    let span: SongSpan
    private let news: EventFlag?
    /// Called when it goes while its thread is at work, or hangs in a call.
    private let onLeaving: (DecoderThread) -> Void
    private let start = monotonicSeconds()

    /// Whether its title was told to those who see the list.
    var isNamed = false
    /// Whether its loss was told.
    var isFailureTold = false
    private var areTagsTold = false
    /// Whether it was opened ahead: nobody misses its bytes before its turn has come.
    var isAhead = false {
        didSet { if isAhead != oldValue { thread.set(isAhead: isAhead) } }
    }
    /// Its last frame was taken.
    private(set) var isDecoded = false
    /// Its number among the songs that were told of; 0: it was not.
    var number = 0
    /// What is done to its frames; nil: what is done to those of every song.
    var effects: SongEffects?
    /// The rate of the frames that are taken next, in Hz; 0: that is not known yet.
    private var rate = 0
    /// Places that it was told to go to.
    private var orderCount = 0
    /// Whether the answer to the last of them has not come.
    private(set) var isSeeking = false
    /// Whether that is its beginning, where nobody waits for the answer.
    private var isRewinding = false

    /// Begins to open what is at `location`. `stems`: the files that it was taken apart into. `news` is
    /// set when there is something new.
    ///
    /// - Throws: where the process has no thread or descriptor left, or too many threads hang.
    init(
        _ location: Location, limits: NetworkLimits, entry: Int = 0,
        stems: StemPlace = .nowhere, span: SongSpan = .whole, isAhead: Bool = false,
        news: EventFlag? = nil, onLeaving: @escaping (DecoderThread) -> Void = { _ in }
    ) throws(SongError) {
        (self.location, self.limits, self.entry) = (location, limits, entry)
        (self.stems, self.news, self.onLeaving) = (stems, news, onLeaving)
        self.span = span
        filesBeside = FilesBeside(location)
        self.isAhead = isAhead
        thread = try DecoderThread(
            location, limits: limits, stems: stems, span: span, filesBeside: filesBeside,
            isAhead: isAhead, news: news)
    }

    private init(again track: Track, kept: KeptBytes, as entry: Int) throws(SongError) {
        (location, limits, self.entry) = (track.location, track.limits, entry)
        (stems, news, onLeaving) = (track.stems, track.news, track.onLeaving)
        span = track.span
        filesBeside = track.filesBeside
        thread = try DecoderThread(
            location, limits: limits, kept: kept, stems: stems, span: span,
            filesBeside: filesBeside, news: news)
    }

    deinit {
        thread.end()
        if thread.workTime != nil { onLeaving(thread) }
    }

    /// The same song from its beginning again, as another entry, without asking for its bytes; nil
    /// where they are not kept.
    func repeated(as entry: Int) -> Track? {
        guard let kept = thread.facts.kept else { return nil }
        return try? Track(again: self, kept: kept, as: entry)
    }

    // MARK: What it is

    /// What is known of it.
    var facts: DecoderThread.Facts { thread.facts }

    /// Whether it is known to be a song.
    var isOpen: Bool { if case .song = thread.facts.stage { true } else { false } }
    var failure: SongError? { thread.facts.failure }
    var station: Station? { thread.facts.station }
    var duration: Double? { thread.facts.duration }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { thread.facts.hasAllBytes }
    /// Seconds since it was begun to be opened.
    var age: Double { monotonicSeconds() - start }
    /// What it waits for while it is opened.
    var awaited: SongEvent.Awaited {
        switch location {
        case .remote: return .server
        case .standardInput: return .pipe
        case .file:
            let facts = thread.facts
            return facts.file == nil || facts.isSeekable || thread.workTime != nil ? .disk : .pipe
        }
    }
    /// Of the frames that are taken next, in Hz.
    var sampleRate: Int { rate > 0 ? rate : thread.facts.firstRate }
    /// What can be played of it without any more bytes, in seconds.
    var secondsAhead: Double { thread.secondsAhead }

    /// Bytes that are kept, but for those that `other` keeps as well.
    func keptBytes(beside other: Track? = nil) -> Int {
        let facts = thread.facts
        if let window = facts.kept?.window, other?.thread.facts.kept?.window === window { return 0 }
        return facts.keptByteCount
    }

    /// What its tags say, once. Those behind its frames are seen when all its bytes are there.
    func takeTags() -> SongTags? {
        guard !areTagsTold, let tags = thread.facts.tags else { return nil }
        areTagsTold = true
        return tags
    }

    /// The attempts to get its bytes that failed since this was asked last.
    func takeRetries() -> [SongRetry] { thread.takeRetries() }

    /// Why files that it was taken apart into are not used, since this was asked last.
    func takeStemLosses() -> [SongError] { thread.takeStemLosses() }

    /// Looks again for files that it was taken apart into.
    func lookForStems() { thread.lookForStems() }

    /// What its voice is known by since this was asked last; nil: nothing new.
    func takeStemGain() -> (known: KnownVoice, origin: StemOrigin)? { thread.takeStemGain() }

    // MARK: Frames

    /// The next of what was decoded; nil where it has to be waited for.
    func next() -> FrameQueue.Item? {
        if isDecoded || isRewinding && !endRewind() { return nil }
        let item = thread.next()
        switch item {
        case .newFormat(_, let rate): self.rate = rate
        case .ended: isDecoded = true
        default: break
        }
        return item
    }

    /// Gives the memory of frames back that were taken.
    func give(back block: FrameBlock) { thread.give(back: block) }

    /// All that has come is used up, or too little is left to go on with.
    func noteDry() { thread.missFrames() }

    /// It is lost: takes nothing more of it.
    func fail(_ error: SongError) {
        thread.stop(because: error)
        isDecoded = true
    }

    // MARK: Places

    /// Goes to `seconds` from its beginning; `rate` is the graph's, in Hz. The song goes on where it is
    /// until `takeAnswer` has told that it is there.
    func go(to seconds: Double, rate: Int, isExact: Bool, mayJump: Bool = true) {
        orderCount += 1
        (isSeeking, isRewinding) = (true, false)
        thread.go(
            to: DecoderThread.Order(
                number: orderCount, seconds: seconds, rate: rate, isExact: isExact,
                mayJump: mayJump))
    }

    /// Goes back to the first frame, as if none was taken; false where that is not kept.
    func rewind() -> Bool {
        guard thread.facts.reachesBeginning else { return false }
        go(to: 0, rate: max(1, sampleRate), isExact: true)
        (isRewinding, isDecoded) = (true, false)
        return true
    }

    /// Whether it stands at its first frame.
    private func endRewind() -> Bool {
        while let (number, answer) = thread.takeAnswer() {
            if case .landed(_, let rate) = answer { self.rate = rate }
            guard number == orderCount else { continue }
            (isSeeking, isRewinding) = (false, false)
            return true
        }
        thread.missFrames()
        return false
    }

    /// What came of the places that it was told to go to; nil while that is not known. `isLast`: of the
    /// last one; else it goes on to that from where it is. May come twice, where it turns out that
    /// reading on to the place takes too long.
    func takeAnswer() -> (answer: DecoderThread.Answer, isLast: Bool)? {
        guard !isRewinding, let (number, answer) = thread.takeAnswer() else { return nil }
        if number == orderCount { isSeeking = false }
        if case .landed(_, let rate) = answer { (isDecoded, self.rate) = (false, rate) }
        return (answer, number == orderCount)
    }

    /// It is not to go there any more; false where it is on its way.
    func cancelSeek() -> Bool {
        guard thread.cancelOrder() else { return !isSeeking }
        isSeeking = false
        return true
    }
}
