import AudioGraph
import AudioMedia
import SystemSupport

/// A song, or a voice, that a renderer without a clock waits for. One thread.
final class OfflineSong {
    let source: SongSource
    private let queue: SongQueue
    private let inbox = Inbox<SongEvent>()
    /// What it is; nil until that is known.
    private(set) var description: SongDescription?
    /// In seconds; nil: not known.
    private(set) var duration: Double?
    /// Why it was lost; what had come before plays on.
    private(set) var failure: DuetError?
    private var news: [SongEvent] = []
    private var warnings: [DuetError] = []
    /// How many frames each song had.
    private var endedFrames: [Int64] = []
    private var isFinished = false

    /// Opens `name` for a graph of `sampleRate` Hz, from `seconds` on. Throws what is known at
    /// once; the rest is found by `look`.
    init(
        _ name: String, sampleRate: Int, at seconds: Double = 0, loops: Bool = false,
        appliesGain: Bool = false
    ) throws(DuetError) {
        source = SongSource(sampleRate: sampleRate)
        let location: Location
        do { location = try Location(name) } catch { throw DuetError(error) }
        queue = SongQueue(
            [location], source: source, loops: loops, isExact: true, appliesGain: appliesGain
        ) { [inbox] in inbox.post($0) }
        queue.start(at: seconds)
    }

    deinit { stop() }

    /// Takes what its thread said.
    func look() {
        for event in inbox.take().messages {
            news.append(event)
            switch event {
            case .opened(let description):
                self.description = description
                duration = description.duration
            case .failed(let error): failure = DuetError(error)
            // Of the last song the run finds that nothing was rendered.
            case .passedEnd(let asked, let end, isLast: false):
                warnings.append(
                    .startIsBehindEnd(song: description?.location ?? "", asked: asked, end: end))
            case .ended(let frames): endedFrames.append(frames)
            case .finished: isFinished = true
            default: break
            }
        }
    }

    /// What is to be warned of since the last time.
    func takeWarnings() -> [DuetError] {
        defer { warnings = [] }
        return warnings
    }

    /// What it told since the last time.
    func takeNews() -> [SongEvent] {
        defer { news = [] }
        return news
    }

    /// Returns when it is known what it is. Throws when it cannot be opened, or `stopped`.
    func waitUntilOpen() throws(DuetError) {
        var waiter = PollSet()
        waiter.add(inbox.descriptor)
        while description == nil {
            waiter.wait(seconds: 0.2)
            look()
            if let failure { throw failure }
            if Signals.isStopping { throw .stopped }
        }
    }

    /// Whether its last frame was rendered.
    var isOver: Bool { source.state == .ended }

    /// After the last frame: how many there were from frame `start` of the first song on; where
    /// that is shorter, of those that follow.
    func countFrames(from start: Int64 = 0) -> Int64 {
        var waiter = PollSet()
        waiter.add(inbox.descriptor)
        while !isFinished {
            waiter.wait(seconds: 0.2)
            look()
        }
        return endedFrames.reduce(0, +) - min(start, endedFrames.first ?? 0)
    }

    /// Ends its thread.
    func stop() { queue.stop() }
}

extension DuetError {
    /// The user stopped it: an end, not a failure.
    static let stopped = DuetError(status: .success, attempt: "stopped", result: "", hint: "")
}
