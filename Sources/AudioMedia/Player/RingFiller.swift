import AudioGraph

/// Decodes the songs of a line one after the other, each after the last frame of the one before,
/// and puts their frames into a ring at the graph's rate. For one thread.
@safe final class RingFiller {
    /// What becomes of the bytes.
    enum State {
        /// They are decoded into the ring.
        case flowing
        /// The last round was long enough; there is more to be decoded at once.
        case busy
        /// None was there to decode in the last round.
        case starved
        /// No more frames come: the feed knows it.
        case finished
    }

    /// Frames that the converter keeps back until a song's end is known: to fade out, should it
    /// break off.
    private static let heldBack = 256
    /// What a live stream's buffer is held at, in seconds, or at more when there was more at first.
    private static let liveTarget = 3.0

    private(set) var ring: StagedRing
    /// What is done to the frames that come next, as far as it can be, but for those of songs that have
    /// effects of their own.
    var effects: SongEffects
    private(set) var state = State.flowing
    /// The song's frame, at the graph's rate, that the converter hands out next.
    private(set) var nextFrame: Int64 = 0
    /// Frames that the converter makes before the place that was sought.
    private var framesToDrop: Int64 = 0
    /// From the song's rate to the graph's; nil until a song begins.
    private var converter: SongConverter?
    /// What of the present song is repeated.
    private var repeated = RepeatedPart()
    /// Holds a live stream's buffer; nil otherwise.
    private var drift: DriftControl?

    /// The song that frames were put into the ring of last, and the effects that it had; nil: none
    /// since the ring began anew.
    private var pushed: (song: Track?, effects: SongEffects?)
    /// The song that the stages know.
    private var known: Location?

    private let line: SongLine
    private let herald: SongHerald
    /// No song comes late: the driver waits.
    private let isExact: Bool
    /// Every song is multiplied by the gain that it asks for.
    private let appliesGain: Bool
    /// No song follows another without a pause.
    private let pausesBetween: Bool
    /// Titles of a station in the ring, each with the place of the frame that it came with.
    private var titles: [(place: Int, text: String, song: Track)] = []

    init(
        _ feed: SongFeed, from line: SongLine, herald: SongHerald, isExact: Bool, appliesGain: Bool,
        effects: SongEffects, pausesBetween: Bool
    ) {
        ring = StagedRing(feed)
        self.line = line
        self.herald = herald
        self.isExact = isExact
        self.appliesGain = appliesGain
        self.effects = effects
        self.pausesBetween = pausesBetween
    }

    // MARK: What is there

    var feed: SongFeed { ring.feed }

    /// Frames a second of the graph.
    var rate: Double { Double(feed.sampleRate) }

    /// Whether a song has begun, so that its frames are on their way.
    var hasBegun: Bool { converter != nil }

    /// Whether no frame has come since the ring began anew.
    var isEmpty: Bool { converter?.count ?? 0 == 0 && !ring.isBegun && feed.bufferedFrames == 0 }

    /// What can be played without any more bytes, in seconds.
    var bufferedSeconds: Double {
        let ready = Double(feed.bufferedFrames) / rate
        let waiting = Double(ring.held + (converter?.count ?? 0)) / rate
        return ready + (waiting + (line.track?.secondsAhead ?? 0)) / ring.speed
    }

    /// The frame that is heard next, counted in its song.
    var heardFrame: Int64 {
        let place = ring.heard
        if let frame = repeated.frame(at: place) { return frame }
        guard let joint = line.joints.first else { return nextFrame - Int64(ring.given - place) }
        return joint.frames - Int64(joint.boundary - place)
    }

    // MARK: Beginning and ending

    /// The present song begins with `frame`, counted at the graph's rate, where its decoder stands;
    /// the first `dropped` frames are not played. `inputRate` is the song's own rate.
    func begin(at frame: Int64, inputRate: Int, dropping dropped: Int64 = 0) {
        let isLive = line.track?.station != nil
        converter = SongConverter(
            inputRate: inputRate, outputRate: feed.sampleRate, isVariable: isLive)
        // Nobody joins a live stream at its beginning.
        if isLive { converter?.fadeInNext(Self.heldBack) }
        beginStretch(at: frame)
        framesToDrop = dropped
    }

    /// The present song is over, and the next has not begun.
    func endSong() {
        converter = nil
        part = nil
    }

    /// The part of the present song that is repeated; nil: none.
    var part: SongPart? {
        get { repeated.part }
        set { repeated.part = newValue }
    }

    /// Goes on with another frame of the song, `frame`, as if it followed; the decoder stands at what
    /// becomes `dropped` frames before it.
    func goOn(with frame: Int64, inputRate: Int, dropping dropped: Int64) {
        converter = SongConverter(inputRate: inputRate, outputRate: feed.sampleRate)
        (nextFrame, framesToDrop, state) = (frame - dropped, dropped, .flowing)
    }

    /// Whether the part that is repeated is in the ring to its last frame.
    var isAtPartEnd: Bool { repeated.ends(at: nextFrame, rate: feed.sampleRate) }

    /// The part is repeated: its first frame, `frame`, follows its last, and the decoder stands at
    /// what becomes `dropped` frames before it.
    func turn(to frame: Int64, inputRate: Int, dropping dropped: Int64) {
        repeated.turn(at: ring.given, end: nextFrame, heard: ring.heard)
        goOn(with: frame, inputRate: inputRate, dropping: dropped)
    }

    /// Another song is to begin in the ring, and has not begun.
    func reset() {
        endSong()
        beginStretch(at: 0)
    }

    /// Goes on in `feed`, which is empty.
    func move(to feed: SongFeed) { ring = StagedRing(feed) }

    /// Goes on with the frame that is decoded next, as if it were the song's at `seconds`.
    func goOnDecoding(at seconds: Double) {
        guard let inputRate = converter?.inputRate else { return }
        begin(at: SongTime.frame(at: seconds, rate: feed.sampleRate), inputRate: inputRate)
        converter?.fadeInNext(Self.heldBack)
    }

    private func beginStretch(at frame: Int64) {
        state = .flowing
        ring.begin()
        pushed = (nil, nil)
        // A station goes on under its last title; the titles of another one are not heard any more.
        titles = titles.suffix(1).filter { $0.song === line.track }.map {
            (ring.given, $0.text, $0.song)
        }
        repeated.forgetTurns()
        drift = nil
        nextFrame = frame
        framesToDrop = 0
    }

    /// No more frames come; `frame`, where it is known, is the song's number after the last.
    func finish(at frame: Int64? = nil) {
        state = .finished
        nextFrame = frame ?? nextFrame
        ring.finish(at: frame)
    }

    // MARK: Filling

    /// Decodes until the ring is full or no byte is left. `isFilling`: nothing of it is played yet.
    func fill(isFilling: Bool) {
        if state != .finished { state = .flowing }
        guard feed.isFlushed, hasBegun else { return }
        // A driver that waits may take frames faster than they are stretched: commands do not wait for
        // the song's end.
        let enough = ring.given + feed.capacity
        while state != .finished, let track = line.track {
            let kept = track.isDecoded ? 0 : Self.heldBack
            push(keeping: kept)
            if isAtPartEnd || ring.isFull || converter?.count ?? 0 > kept { return }
            if ring.given >= enough { return state = .busy }
            if track.isDecoded
                ? !continueLine(after: track, isFilling: isFilling) : !take(from: track)
            {
                state = .starved
                return
            }
        }
    }

    /// Moves frames from the converter into the ring, all but the last `kept`.
    private func push(keeping kept: Int) {
        ring.deliver()
        if framesToDrop > 0, let waiting = converter?.count {
            let count = Int(min(framesToDrop, Int64(waiting)))
            converter?.discard(count)
            framesToDrop -= Int64(count)
            nextFrame += Int64(count)
        }
        guard framesToDrop == 0 else { return }
        while let waiting = converter?.count, waiting > kept {
            let joint = line.joints.first { $0.boundary > ring.given }
            let boundary = joint?.boundary ?? .max
            let count = min(
                waiting - kept, converter?.next.count ?? 0, boundary - ring.given, ring.room,
                framesToPartEnd ?? .max)
            guard count > 0 else { return }
            let song = joint?.before ?? line.track
            let effects = song?.effects ?? effects
            defer { pushed = (song, effects) }
            if pushed.song !== song {
                let differs = pushed.effects.map { $0 != effects } ?? false
                // Each of the two sounds as if it were alone.
                if differs { ring.drain() }
                if differs { continue }
            }
            // A seek begins another stretch, of the same song.
            if song?.location != known { ring.forgetSong() }
            known = song?.location
            let gain = appliesGain ? Float(song?.facts.gain?.gain ?? 1) : 1
            ring.set(effects, isLive: song?.station != nil)
            unsafe converter?.take(count, gain: gain) { frames, backing, count in
                unsafe ring.append(frames, backing: backing, count: count, as: nextFrame)
            }
            nextFrame = ring.given == boundary ? 0 : nextFrame + Int64(count)
        }
    }

    /// Frames until the end of the part that is repeated; nil where none is, or the song is beyond
    /// it.
    private var framesToPartEnd: Int? {
        repeated.framesLeft(from: nextFrame, rate: feed.sampleRate)
    }

    /// Takes the next that was decoded; false where that has to be waited for.
    private func take(from track: Track) -> Bool {
        if let refusal = converter?.refusal {
            track.fail(
                .cannotOpen(
                    song: track.location.description, .notConverted(reason: refusal.reason)))
            endConverter()
            return true
        }
        switch track.next() {
        case nil: return false
        case .frames(let block):
            if let base = unsafe block.samples.baseAddress {
                unsafe converter?.append(base, backing: block.backing, count: block.count)
            }
            track.give(back: block)
        case .newFormat(_, let rate): converter?.changeInputRate(to: rate)
        case .title(let text): titles.append((ring.given + (converter?.count ?? 0), text, track))
        case .spliced:
            // Only now it may have shown that the stream is live.
            converter?.beginAgain(isVariable: true)
            converter?.fadeOutEnd(Self.heldBack)
            converter?.fadeInNext(Self.heldBack)
        case .ended:
            boundToEnd(of: track)
            // A song that broke off fades out.
            if track.failure != nil { endConverter() }
        }
        return true
    }

    /// The newest title of the song that is heard, once.
    func takeTitle() -> String? {
        let count = titles.prefix { $0.place <= ring.heard }.count
        defer { titles.removeFirst(count) }
        return titles[..<count].last { $0.song === line.heardTrack }?.text
    }

    /// Where nothing came from the place that was sought, that lies behind the song's end: the song
    /// ends with its last frame.
    private func boundToEnd(of track: Track) {
        guard isEmpty, converter?.framesDue ?? 0 == 0, let end = track.duration else { return }
        nextFrame = min(nextFrame, SongTime.frame(at: end, rate: feed.sampleRate))
    }

    private func endConverter() {
        converter?.drain()
        converter?.fadeOutEnd(Self.heldBack)
    }

    /// All frames of `track` are decoded: goes over to the next song, or ends the ring; false
    /// when there is something to wait for.
    private func continueLine(after track: Track, isFilling: Bool) -> Bool {
        // Maybe the song goes on at another place.
        if track.isSeeking { return false }
        if framesToPartEnd != nil {
            converter?.drain()
            if converter?.count ?? 0 == 0 { repeated.shorten(to: Double(nextFrame) / rate) }
            return true
        }
        if line.next == nil { line.openAhead(buffered: bufferedSeconds) }
        // One that begins in the middle of its file is sought, once this one is over.
        let mayFollow = !pausesBetween && line.next?.span.start ?? 0 == 0
        if mayFollow, let next = line.next, next.isOpen, !herald.holds(next) {
            guard line.commitNext() else { return false }
            join(next, after: track)
            return true
        }
        // A next song that comes too late begins after the end of this one; where time does not
        // matter, and while nothing sounds yet, it is waited for.
        let isLate =
            !isFilling && Double(feed.bufferedFrames) / rate < 0.1 && line.next?.age ?? 1 > 0.25
        if mayFollow, line.following != nil, isExact || !isLate { return false }
        converter?.drain()
        // A seek may have gone beyond the last frame there is.
        if converter?.count ?? 0 == 0 {
            ring.drain()
            if !ring.isFull { finish(at: nextFrame) }
        }
        return true
    }

    /// The next song follows the last frame of `track` without a gap.
    private func join(_ next: Track, after track: Track) {
        part = nil
        let rate = next.sampleRate
        let isLive = next.station != nil || track.station != nil
        let isKnown = next.facts.knownVoice != nil
        // At equal rates the resampler goes on, and knows of no end.
        if isLive || rate != converter?.inputRate || track.failure != nil
            || isKnown != converter?.expectsBacking
        {
            converter?.begin(
                inputRate: rate, isVariable: next.station != nil, isKnown: isKnown)
        }
        if next.station != nil { converter?.fadeInNext(Self.heldBack) }
        let due = Int64((converter?.count ?? 0) + (converter?.framesDue ?? 0))
        // A song may end before the frame that was sought.
        framesToDrop = min(framesToDrop, due)
        let left = Int(due - framesToDrop)
        let boundary = ring.given + left
        let frames =
            if let last = line.joints.last?.boundary, last >= ring.given {
                Int64(boundary - last)
            } else {
                nextFrame + due
            }
        line.join(frames: frames, boundary: boundary)
        if left == 0 { nextFrame = -framesToDrop }
    }

    // MARK: Live streams

    /// Keeps a live stream's buffer where it is, whatever its sender's clock does. To be called
    /// while it plays.
    func steer(at time: Double) {
        // A driver that waits has no clock of its own.
        guard line.track?.station != nil, !isExact else { return }
        if drift == nil { drift = DriftControl(minimum: Self.liveTarget) }
        if let factor = drift?.factor(buffered: bufferedSeconds, at: time) {
            converter?.setFactor(factor)
        }
    }

    /// The buffer's level is found anew: it did not play for a while.
    func forgetLevel() { drift = nil }
}

/// What becomes of the frames in the ring.
enum RingState: Equatable {
    /// They wait until enough are there: at the beginning, after a seek, and since an underrun
    /// that began at `underrun` of the clock.
    case filling(underrun: Double? = nil)
    /// The render side was told to play them; whether it has since.
    case playing(isHeard: Bool = false)
    /// All have been heard, and the next song is not open.
    case ended
    /// All have been heard, and it was told that no song follows (`finished`).
    case over

    /// Whether frames are gathered before any is played.
    var isFilling: Bool { if case .filling = self { true } else { false } }
}
