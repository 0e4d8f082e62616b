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
        /// Where it begins, in seconds.
        let startTime: Double
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
    /// Frames that were ever pushed into the ring.
    var pushed = 0
    /// From the stream's rate to the graph's; nil until the song is open.
    var converter: FrameConverter?
    /// Holds a live stream's buffer; nil otherwise.
    var drift: DriftControl?
    /// The song's frame, at the graph's rate, that the converter hands out next.
    var nextFrame: Int64 = 0
    /// Frames that the converter makes before the target of a seek.
    var skip: Int64 = 0
    /// A seek that waits for the song to be open.
    var pendingSeek: Double?
    /// The number in the playlist that comes first of the song to begin with.
    var pendingPart: Int
    /// Entries that may still be tried before the ring and the commands are looked at again.
    var triesLeft = 0
    /// When this round tries no further entry, on `clock`.
    var roundEnd = 0.0
    /// Songs that could not be opened since one was heard.
    var refusedInARow = 0
    /// A seek whose frames have not begun to sound; and whether anybody asked for it.
    var seekInFlight: (wanted: Double, arrived: Double, isAsked: Bool)?
    /// Where the last seek, or the start, was to go, and the ring's frame that follows it.
    var sought: (seconds: Double, index: Int)?
    /// The feed knows that no more comes.
    var isFinished = false
    /// The last loop found no byte to decode.
    var isStarved = false
    /// The render side was told to play.
    var isReleased = false
    /// Whether a frame was heard since the last release.
    private var hasSounded = false
    var isPaused = false
    /// What is in the ring has been heard.
    var hasEnded = false
    /// It was told that all songs are over.
    var isOver = false
    private var underrunTime: Double?
    var titleLimit = RateLimit(perSecond: 2, atOnce: 4)
    /// The frames that the driver takes at once.
    private(set) var period = 1024
    private var lastSecond: Int64 = -1
    let block: UnsafeMutableBufferPointer<Float>

    /// Seconds of a clock that never jumps.
    let clock: () -> Double

    init(_ job: Job, clock: @escaping () -> Double = monotonicSeconds) {
        self.job = job
        self.clock = clock
        list = SongList(job.songs, loops: job.loops)
        list.go(to: min(max(0, job.start.song), max(0, job.songs.count - 1)))
        pendingSeek = job.startTime > 0 ? job.startTime : nil
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
            let isDemanded = job.feed.takeDemand()
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
            if isReleased { job.control.emit(value ? .paused : .playing) }
        case .seek(let seconds):
            if !seek(to: seconds, isFirst: false) { job.control.update { $0.seeking = nil } }
        case .skip(let count): skip(by: count)
        case .move(let feed, let shown):
            move(to: feed)
            let place = seekInFlight?.wanted ?? pendingSeek
            job.control.update { if $0.seeking == shown { $0.seeking = place } }
        case .period(let frames): period = frames
        case .stop(let drained):
            if drained { drain() } else { job.feed.flush() }
            job.control.emit(.stopped)
            return true
        }
        return false
    }

    /// What is heard next goes into another ring.
    private func move(to feed: SongFeed) {
        let seconds = Double(heardFrame) / rate
        job.feed = feed
        pushed = 0
        guard let track = heardTrack, let present = converter else { return }
        let (asked, wasOver) = (seekInFlight, hasEnded)
        if track.station == nil, seek(to: asked?.wanted ?? seconds, isFirst: true) {
            seekInFlight?.isAsked = asked?.isAsked ?? false
            if asked?.isAsked != true { sought = nil }
            // Its end was told.
            (hasEnded, isOver) = (wasOver, wasOver)
            return
        }
        // What cannot be had again goes on where it was decoded.
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
        isFinished = true
        job.feed.finish()
    }

    /// Lets the render side go on when enough is there, and tells what has changed.
    private func watch() {
        let feed = job.feed
        let now = clock()
        if isReleased && feed.isPlaying { hasSounded = true }
        // A transport that jumps ahead makes the render side drop the whole ring. Where no bytes
        // are left to refill it, that is an underrun.
        if hasSounded && isStarved && !isFinished && feed.isBehind && feed.bufferedFrames == 0 {
            feed.hold()
        }
        // Also when all has come: the frames may have run out just before the last were pushed.
        if isReleased && feed.isWaiting && feed.isFlushed && !hasEnded {
            isReleased = false
            hasSounded = false
            underrunTime = now
            drift = nil
            job.control.emit(.buffering)
        }
        if !isReleased && feed.isFlushed
            && (isFinished
                || feed.space == 0
                    && (underrunTime == nil || track?.hasAllBytes ?? true
                        || bufferedSeconds >= Self.enoughAfterUnderrun))
        {
            release(now)
        }
        while let joint = joints.first, pushed - feed.bufferedFrames >= joint.boundary {
            joints.removeFirst()
            cross(joint)
        }
        if isFinished && isReleased && !hasEnded && feed.bufferedFrames == 0 { endOfRing() }
        let (position, hasNext) = (position, hasNext)
        job.control.update {
            $0.position = position
            $0.hasNext = hasNext
            $0.keptBytes = track?.window.count ?? 0
            if let next, next.window !== track?.window { $0.keptBytes += next.window.count }
        }
        let second = Int64(Int(nearest: position.seconds.rounded(.down)))
        if isReleased && second != lastSecond && !hasEnded {
            lastSecond = second
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

    private func release(_ now: Double) {
        isReleased = true
        hasSounded = false
        // Told first, then done: who hears the song can know why.
        defer { job.feed.release() }
        // What is left of a lost song is let out, a few milliseconds: it does not play again.
        let isLost = underrunTime != nil && heardTrack?.failure != nil
        if let began = underrunTime, !isLost {
            job.control.emit(.recovered(seconds: now - began))
        }
        underrunTime = nil
        let seek = seekInFlight
        seekInFlight = nil
        // Unless another has been asked for meanwhile: positions are that one's.
        if let seek { job.control.update { if $0.seeking == seek.wanted { $0.seeking = nil } } }
        if let seek, seek.isAsked {
            job.control.emit(
                .seeked(seconds: seek.arrived, isExact: track?.decoder.isExact ?? true))
        } else if converter != nil, !hasEnded, !isLost {
            job.control.emit(isPaused ? .paused : .playing)
        }
        // The beginning that a skip went to is heard.
        job.control.update { if $0.seeking == 0 { $0.seeking = nil } }
        lastSecond = -1
    }

    /// The last frame before a joint was heard: from here on it is the next song.
    private func cross(_ joint: Joint) {
        tellEnd(of: joint.before, frames: joint.frames, at: joint.boundary, isLast: false)
        announce()
        if !isPaused { job.control.emit(.playing) }
        lastSecond = -1
    }

    /// Begins another stretch of frames in the ring.
    func beginStretch(at frame: Int64) {
        isReleased = false
        hasSounded = false
        isFinished = false
        hasEnded = false
        isOver = false
        underrunTime = nil
        drift = nil
        nextFrame = frame
        skip = 0
    }
}
