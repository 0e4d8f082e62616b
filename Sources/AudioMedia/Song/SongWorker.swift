import AudioGraph
import Glibc
import SystemSupport

/// All that a queue's thread does: bytes from a source, kept, decoded, resampled, put into the
/// feed; commands in, events out.
@safe final class SongWorker {
    /// What a worker is made for.
    struct Job: Sendable {
        let songs: [Location]
        /// Whether the first song follows the last.
        let loops: Bool
        var feed: SongFeed
        let control: SongControl
        let limits: NetworkLimits
        /// Which song is the first.
        let start: SongPlace
        /// Where it begins; nil: at its first frame.
        let seek: PendingSeek?
        /// No seek may jump by an estimate, no song come late.
        let isExact: Bool
        /// Every song is multiplied by the gain that it asks for.
        let appliesGain: Bool
        /// Something else has used the feed before.
        let isFeedUsed: Bool
    }

    /// Where one song goes over into the next without a gap, until that is heard.
    struct Joint {
        let before: Track
        /// Its number in the list.
        var number: Int
        /// Its frames, at the graph's rate.
        let frames: Int64
        /// Where the next begins, in frames that were ever pushed into the ring.
        let boundary: Int
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
    }

    /// What becomes of the bytes.
    enum DecodingState {
        /// They are decoded into the ring.
        case flowing
        /// None was there to decode in the last round.
        case starved
        /// No more frames come: the feed knows it.
        case finished
    }

    /// What an underrun is ended by, in seconds of ring and kept bytes together.
    static let enoughAfterUnderrun = 3.0

    private(set) var job: Job
    var list: SongList
    /// The song that is decoded, while it is opened, too.
    var track: Track?
    /// The one that follows, opened ahead.
    var next: Track?
    /// Between the song that is heard and `track`, in order; many where songs are short.
    var joints: [Joint] = []
    var ringState = RingState.filling()
    var decodingState = DecodingState.flowing
    var isPaused = false
    /// Frames that were ever pushed into the ring.
    var pushed = 0
    /// From the stream's rate to the graph's; nil until the song is open.
    var converter: FrameConverter?
    /// Holds a live stream's buffer; nil otherwise.
    var drift: DriftControl?
    /// The song's frame, at the graph's rate, that the converter hands out next.
    var nextFrame: Int64 = 0
    /// Frames that the converter makes before the target of a seek.
    var framesToDrop: Int64 = 0
    /// The newest seek, from its command until its frames are released to the render side.
    var pendingSeek: PendingSeek?
    /// Where the frames in the ring were to begin, in seconds, and the ring's frame that they begin
    /// with; nil where nobody asked for a place. Kept to tell a seek past the end.
    var soughtStart: (seconds: Double, index: Int)?
    /// The number in the playlist that comes first of the song to begin with.
    var pendingPart: Int
    /// Entries that may still be tried before the ring and the commands are looked at again.
    var triesLeft = 0
    /// When this round tries no further entry, on `clock`.
    var roundEnd = 0.0
    /// Songs that could not be opened since one was heard.
    var refusals = RefusalTally()
    var titleLimit = RateLimit(perSecond: 2, atOnce: 4)
    /// The frames that the driver takes at once.
    private(set) var period = 1024
    private var lastToldSecond: Int64 = -1
    let block: UnsafeMutableBufferPointer<Float>

    /// Seconds of a clock that never jumps.
    let clock: () -> Double

    init(_ job: Job, clock: @escaping () -> Double = monotonicSeconds) {
        self.job = job
        self.clock = clock
        list = SongList(job.songs, loops: job.loops)
        list.go(to: min(max(0, job.start.song), max(0, job.songs.count - 1)))
        pendingSeek = job.seek
        pendingPart = job.start.part
        unsafe block = .allocate(capacity: 2 * 4608)
        unsafe block.initialize(repeating: 0)
    }

    deinit { unsafe block.deallocate() }

    /// The thread's whole life.
    static func run(_ job: Job) {
        if job.isFeedUsed { job.feed.flush() }
        SongWorker(job).loop()
    }

    private func loop() {
        while true {
            job.control.wake?.clear()
            let isDemanded = job.feed.clearDemand()
            for command in job.control.takeCommands() where obey(command) { return }
            work(isDemanded: isDemanded)
            watch()
            wait()
        }
    }

    /// Carries out a command; true when the thread is to end.
    private func obey(_ command: SongControl.Command) -> Bool {
        switch command {
        case .paused(let value):
            isPaused = value
            drift = nil
            if !isFilling { job.control.emit(value ? .paused : .playing) }
        case .seek(let seek):
            if !go(to: seek, flushing: true) { job.control.settle(seek, next: pendingSeek) }
        case .skip(let count, let seek): skip(by: count, as: seek)
        case .move(let feed, let seek): move(to: feed, as: seek)
        case .period(let frames): period = frames
        case .stop(let drained):
            if drained { drain() } else { job.feed.flush() }
            job.control.emit(.stopped)
            return true
        }
        return false
    }

    /// Continues in `feed`, a ring of another graph. A seek that has not arrived is carried out
    /// there; `here` is the position until then.
    private func move(to feed: SongFeed, as here: PendingSeek) {
        let seconds = Double(heardFrame) / rate
        job.feed = feed
        pushed = 0
        defer { job.control.settle(here, next: pendingSeek) }
        if ringState == .over {
            nextFrame = SongTime.frame(at: seconds, rate: feed.sampleRate)
            feed.number(from: nextFrame)
            finishFeed()
            return feed.release()
        }
        guard let track = heardTrack, let present = converter else { return }
        let goal =
            pendingSeek ?? PendingSeek(number: here.number, seconds: seconds, reportsArrival: false)
        if track.station == nil, go(to: goal, flushing: false) { return }
        // A station, or bytes that are not kept: continues with the frame that is decoded next.
        pendingSeek = nil
        joints = []
        converter = FrameConverter(
            inputRate: present.inputRate, outputRate: feed.sampleRate,
            isVariable: track.station != nil)
        converter?.fadeInNext(Self.heldBack)
        beginStretch(at: SongTime.frame(at: seconds, rate: feed.sampleRate))
    }

    /// Lets what is in the ring play to its end.
    private func drain() {
        finishFeed()
        job.feed.release()
        let deadline = clock() + 2 * Double(job.feed.capacity) / rate
        while job.feed.bufferedFrames > 0 && clock() < deadline { usleep(5000) }
    }

    func finishFeed() {
        decodingState = .finished
        job.feed.finish()
    }

    /// Lets the render side go on when enough is there, and tells what has changed.
    private func watch() {
        let feed = job.feed
        let now = clock()
        if case .playing = ringState, feed.isPlaying { ringState = .playing(isHeard: true) }
        // A transport that jumps ahead makes the render side drop the whole ring. Where no bytes
        // are left to refill it, that is an underrun.
        if ringState == .playing(isHeard: true), decodingState == .starved, feed.isBehind,
            feed.bufferedFrames == 0
        {
            feed.hold()
        }
        // Also when all has come: the frames may have run out just before the last were pushed.
        if case .playing = ringState, feed.isWaiting, feed.isFlushed {
            ringState = .filling(underrun: now)
            drift = nil
            job.control.emit(.buffering)
        }
        if case .filling(let underrun) = ringState, hasEnough(after: underrun) {
            release(now, after: underrun)
        }
        while let joint = joints.first, pushed - feed.bufferedFrames >= joint.boundary {
            joints.removeFirst()
            cross(joint)
        }
        if case .playing = ringState, decodingState == .finished, feed.bufferedFrames == 0 {
            endOfRing()
        }
        let (position, hasNext) = (position, hasNext)
        job.control.update {
            $0.position = position
            $0.hasNext = hasNext
            $0.keptBytes = (track?.keptBytes() ?? 0) + (next?.keptBytes(beside: track) ?? 0)
        }
        let second = Int64(Int(nearest: position.seconds.rounded(.down)))
        if case .playing = ringState, second != lastToldSecond {
            lastToldSecond = second
            job.control.emit(.position(position))
        }
    }

    private var position: SongPosition {
        SongPosition(
            seconds: Double(heardFrame) / rate, duration: heardTrack?.duration,
            buffered: bufferedSeconds, isExact: track?.decoder.isExact ?? true)
    }

    /// The number in the list of the song that is heard.
    var heardNumber: Int { joints.first?.number ?? list.index }

    /// Whether another song follows it.
    var hasNext: Bool { list.number(1, after: heardNumber) < list.entries.count }

    /// The song that is heard.
    var heardTrack: Track? { joints.first?.before ?? track }

    /// The frame of it that is heard next.
    private var heardFrame: Int64 {
        let buffered = job.feed.bufferedFrames
        guard let joint = joints.first else { return nextFrame - Int64(buffered) }
        return joint.frames - Int64(joint.boundary - (pushed - buffered))
    }

    /// Whether frames are gathered in the ring before any is played.
    var isFilling: Bool { if case .filling = ringState { true } else { false } }

    /// Whether the song that is heard is open, and its frames are on their way.
    var hasBegun: Bool { converter != nil }

    /// Whether the ring, which fills since `underrun`, may be played.
    private func hasEnough(after underrun: Double?) -> Bool {
        guard job.feed.isFlushed else { return false }
        if decodingState == .finished { return true }
        guard job.feed.space == 0 else { return false }
        return underrun == nil || track?.hasAllBytes ?? true
            || bufferedSeconds >= Self.enoughAfterUnderrun
    }

    private func release(_ now: Double, after underrun: Double?) {
        ringState = .playing()
        // The event comes before the sound.
        defer { job.feed.release() }
        // What is left of a lost song is let out, a few milliseconds: it does not play again.
        let isLost = underrun != nil && heardTrack?.failure != nil
        if let underrun, !isLost { job.control.emit(.recovered(seconds: now - underrun)) }
        let arrived = pendingSeek
        pendingSeek = nil
        if let arrived { job.control.settle(arrived) }
        if let arrived, arrived.reportsArrival, let second = arrived.arrival {
            job.control.emit(
                .seeked(seconds: second, isExact: track?.decoder.isExact ?? true))
        } else if hasBegun, !isLost {
            job.control.emit(isPaused ? .paused : .playing)
        }
        lastToldSecond = -1
    }

    /// The last frame before a joint was heard: from here on it is the next song.
    private func cross(_ joint: Joint) {
        tellEnd(of: joint.before, frames: joint.frames, at: joint.boundary, isLast: false)
        announce()
        if !isPaused { job.control.emit(.playing) }
        lastToldSecond = -1
    }

    /// Begins another stretch of frames in the ring.
    func beginStretch(at frame: Int64) {
        ringState = .filling()
        decodingState = .flowing
        drift = nil
        nextFrame = frame
        framesToDrop = 0
        soughtStart = nil
    }
}
