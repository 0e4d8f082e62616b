import AudioGraph
import CRealtime
import Glibc

/// All that a song's thread does: bytes from a source, kept, decoded, resampled, put into the
/// feed; commands in, events out.
@safe final class SongWorker {
    /// What a worker is made for.
    struct Job: Sendable {
        let location: Location
        let feed: SongFeed
        let control: SongControl
        let limits: NetworkLimits
        /// Where the song begins, in seconds.
        let startTime: Double
        /// No seek may jump by an estimate.
        let isExact: Bool
        /// Something else has used the feed before.
        let isFeedUsed: Bool
    }

    /// What an underrun is ended by, in seconds of ring and kept bytes together.
    static let enoughAfterUnderrun = 3.0

    let job: Job
    let window: ByteWindow
    let source: any ByteSource
    let decoder: MP3Decoder
    /// From the stream's rate to the graph's; nil until the first frame's header has come.
    var converter: FrameConverter?
    /// The song's frame, at the graph's rate, that the converter hands out next.
    var nextFrame: Int64 = 0
    /// Frames that the converter makes before the target of a seek.
    var skip: Int64 = 0
    /// A seek that waits for the stream's format.
    var pendingSeek: Double?
    /// A seek whose frames have not begun to sound.
    var seekInFlight: (wanted: Double, arrived: Double)?
    /// All frames are in the converter, or in the feed.
    var isDecoded = false
    /// The feed knows that no more comes.
    var isFinished = false
    /// The last loop found no byte to decode.
    var isStarved = false
    /// The render side was told to play.
    var isReleased = false
    private var isPaused = false
    private var hasEnded = false
    private var isLost = false
    private var underrunTime: Double?
    private var lastSecond: Int64 = -1
    let block: UnsafeMutableBufferPointer<Float>

    init(_ job: Job) throws(SongError) {
        self.job = job
        window = ByteWindow(limit: job.limits.kept)
        let name = job.location.description
        switch job.location {
        case .remote(let address, _):
            source = HTTPSource(address: address, name: name, limits: job.limits, window: window)
        case .file(let path):
            source = try FileSource(path: path, name: name, window: window)
        case .standardInput:
            source = try FileSource(path: nil, name: name, window: window)
        }
        do throws(DecoderError) { decoder = try MP3Decoder() } catch {
            throw .cannotOpen(song: name, reason: "libmpg123: \(error)", hint: "reinstall it")
        }
        unsafe block = .allocate(capacity: 2 * 4608)
        unsafe block.initialize(repeating: 0)
    }

    deinit { unsafe block.deallocate() }

    /// The thread's whole life.
    static func run(_ job: Job) {
        if job.isFeedUsed { job.feed.flush() }
        do throws(SongError) {
            let worker = try SongWorker(job)
            worker.loop()
        } catch {
            job.control.update { $0.error = error }
            job.control.emit(.failed(error))
            waitForStop(job)
            job.control.emit(.stopped)
        }
    }

    /// A song that could not even be opened has ended, once a flush before it is carried out.
    private static func waitForStop(_ job: Job) {
        var hasEnded = false
        while true {
            let stops = job.control.takeCommands().contains {
                if case .stop = $0 { true } else { false }
            }
            if stops { return }
            if !hasEnded && job.feed.isFlushed {
                job.feed.finish()
                job.feed.release()
                hasEnded = true
            }
            _ = crealtime_event_wait(job.control.wake, hasEnded ? -1 : 5)
        }
    }

    private func loop() {
        if job.startTime > 0 { pendingSeek = job.startTime }
        source.start(at: 0)
        while true {
            _ = crealtime_event_clear(job.control.wake)
            let isDemanded = crealtime_event_clear(job.feed.demand)
            for command in job.control.takeCommands() where obey(command) { return }
            if !isLost {
                do throws(SongError) {
                    try work(isDemanded: isDemanded)
                } catch {
                    lose(error)
                }
            }
            watch()
            source.wait(
                milliseconds: timeToSleep(),
                descriptors: [job.control.wake, job.feed.demand])
        }
    }

    /// Carries out a command; true when the thread is to end.
    private func obey(_ command: SongControl.Command) -> Bool {
        switch command {
        case .paused(let value):
            isPaused = value
            if isReleased { job.control.emit(value ? .paused : .playing) }
        case .seek(let seconds):
            guard !isLost else {
                job.control.update { $0.seeking = nil }
                break
            }
            do throws(SongError) { try seek(to: seconds, isFirst: false) } catch {
                lose(error)
            }
        case .stop(let drained):
            if drained { drain() } else { job.feed.flush() }
            job.control.emit(.stopped)
            return true
        }
        return false
    }

    /// The song is lost: what is in the ring still plays, then it ends.
    private func lose(_ error: SongError) {
        isLost = true
        isDecoded = true
        // A seek that failed has flushed: the render side waits to be let go.
        if !job.feed.isFlushed { isReleased = false }
        source.stop()
        finishFeed()
        job.control.update {
            $0.error = error
            $0.seeking = nil
        }
        job.control.emit(.failed(error))
    }

    /// Lets what is in the ring play to its end.
    private func drain() {
        finishFeed()
        job.feed.release()
        let deadline = monotonicSeconds() + 2 * Double(job.feed.capacity) / rate
        while job.feed.bufferedFrames > 0 && monotonicSeconds() < deadline { usleep(5000) }
    }

    func finishFeed() {
        isFinished = true
        job.feed.finish()
    }

    /// Lets the render side go on when enough is there, and tells what has changed.
    private func watch() {
        let feed = job.feed
        let now = monotonicSeconds()
        // Also when all has come: the frames may have run out just before the last were pushed.
        if isReleased && feed.isWaiting && feed.isFlushed && !hasEnded {
            isReleased = false
            underrunTime = now
            job.control.emit(.buffering)
        }
        if !isReleased && feed.isFlushed
            && (isFinished
                || feed.space == 0
                    && (underrunTime == nil || source.isAtEnd
                        || bufferedSeconds >= Self.enoughAfterUnderrun))
        {
            release(now)
        }
        if isFinished && isReleased && !hasEnded && feed.bufferedFrames == 0 {
            hasEnded = true
            job.control.emit(.ended(frames: nextFrame))
        }
        let position = SongPosition(
            seconds: Double(nextFrame - Int64(feed.bufferedFrames)) / rate, duration: duration,
            buffered: bufferedSeconds, isExact: decoder.isExact)
        job.control.update {
            $0.position = position
            $0.hasEnded = hasEnded
            $0.keptBytes = window.count
        }
        let second = Int64(position.seconds.rounded(.down))
        if isReleased && second != lastSecond {
            lastSecond = second
            job.control.emit(.position(position))
        }
    }

    private func release(_ now: Double) {
        isReleased = true
        // Told first, then done: who hears the song can know why.
        defer { job.feed.release() }
        if let began = underrunTime { job.control.emit(.recovered(seconds: now - began)) }
        underrunTime = nil
        if let seek = seekInFlight {
            seekInFlight = nil
            // Unless another has been asked for meanwhile: positions are that one's.
            job.control.update { if $0.seeking == seek.wanted { $0.seeking = nil } }
            job.control.emit(.seeked(seconds: seek.arrived, isExact: decoder.isExact))
        } else if isPaused {
            job.control.emit(.paused)
        } else if job.control.status.error == nil {
            job.control.emit(.playing)
        }
        lastSecond = -1
    }

    /// Begins another stretch of the song, after `seek`.
    func beginStretch(at frame: Int64, after seek: (wanted: Double, arrived: Double)) {
        isReleased = false
        isFinished = false
        isDecoded = false
        hasEnded = false
        underrunTime = nil
        nextFrame = frame
        seekInFlight = seek
    }

    /// Milliseconds until something is to be done that no descriptor tells.
    private func timeToSleep() -> Int {
        let feed = job.feed
        if !feed.isFlushed { return 3 }
        if !isReleased || isPaused { return 500 }
        let level = Double(feed.bufferedFrames) / rate
        if isFinished { return hasEnded ? 5000 : min(500, Int(level * 1000) + 3) }
        if isStarved { return max(3, min(100, Int(level * 1000))) }
        return max(5, Int((level - Double(feed.capacity) / rate / 4) * 1000))
    }

    func announce() {
        guard let format = decoder.format else { return }
        let description = SongDescription(
            location: job.location.description, format: format, duration: duration,
            isSeekable: source.isSeekable)
        job.control.update { $0.description = description }
        job.control.emit(.opened(description))
    }

    func translate(_ error: DecoderError) -> SongError {
        let name = job.location.description
        switch error {
        case .notMPEG where window.end == 0:
            return .cannotOpen(song: name, reason: "it is empty", hint: "check the address")
        case .notMPEG: return .notMPEG(song: name)
        case .library(let text):
            return .brokeOff(
                song: name, reason: "the decoder stopped: \(safeText(text))",
                hint: "the file may be damaged")
        }
    }
}
