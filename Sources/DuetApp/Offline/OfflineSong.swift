import AudioGraph
import AudioMedia
import SystemSupport

/// A song, or a voice, for an offline renderer, which waits for it. For one thread.
final class OfflineSong {
    /// Frames that are decoded and converted ahead: 8 blocks of a renderer.
    private static let capacity = 32_768

    let source: SongSource
    private let queue: SongQueue
    private let inbox = Inbox<SongEvent>()
    private let appliesGain: Bool
    /// Whether users have named its stems.
    private let hasNamedStems: Bool
    /// Facts of the song; nil until its first frames have come.
    private(set) var description: SongDescription?
    /// Seconds; nil if not known.
    private(set) var duration: Double?
    /// The error by which the song was lost; what had come before is rendered.
    private(set) var failure: DuetError?
    /// The tags of the first song that has any.
    private(set) var tags: SongTags?
    private var news: [SongEvent] = []
    private var warnings: [DuetError] = []
    private var isFinished = false
    /// The version of the list in which a file was last looked for, and the names that were compared.
    private var lookedVersion: Int?
    private var lookedNames: Set<FileName> = []

    /// Opens `name` for a graph of `sampleRate` Hz, from `seconds` on. Throws where it is known at
    /// once that it cannot be opened; `look` finds later failures.
    ///
    /// - Parameters:
    ///   - isHeld: whether it is silent until `begin`.
    ///   - stems: where its stems are looked for; nil if nowhere.
    init(
        _ name: String, sampleRate: Int, at seconds: Double = 0, loops: Bool = false,
        isHeld: Bool = false, stems: StemRequest? = nil,
        appliesGain: Bool = false, effects: SongEffects = SongEffects()
    ) throws(DuetError) {
        source = SongSource(sampleRate: sampleRate, capacity: Self.capacity)
        (self.appliesGain, hasNamedStems) = (appliesGain, stems?.named != nil)
        let location: Location
        do { location = try Location(name) } catch { throw DuetError(error) }
        queue = SongQueue(
            [location], source: source, loops: loops, isExact: true, appliesGain: appliesGain,
            effects: effects, stems: stems
        ) { [inbox] in inbox.post($0) }
        source.isPaused = isHeld
        queue.start(at: seconds)
    }

    /// Plays it from the next frame on, if it was held.
    func begin() { queue.resume() }

    deinit { stop() }

    /// Handles the messages of the song's thread.
    func look() {
        for event in inbox.take().messages {
            news.append(event)
            switch event {
            case .opened(let description):
                self.description = description
                duration = description.duration
            case .tags(let tags): self.tags = self.tags ?? tags
            case .failed(let error): failure = DuetError(error)
            // For the last song the run itself finds that nothing was rendered.
            case .passedEnd(let asked, let end, isLast: false):
                warnings.append(
                    .startIsBehindEnd(song: description?.location ?? "", asked: asked, end: end))
            case .finished: isFinished = true
            default: break
            }
        }
    }

    /// Whether a file was opened so far, or is a song of the list. For one file, of which it is asked
    /// again and again. Blocks for as long as the disk takes.
    func reads(_ file: FilePlace) -> Bool {
        guard !queue.openedFiles.contains(file) else { return true }
        let version = queue.listVersion
        guard version != lookedVersion else { return false }
        lookedVersion = version
        return queue.list.contains { song in
            guard case .file(let name) = song.location, lookedNames.insert(name).inserted else {
                return false
            }
            return FilePlace(of: name) == file
        }
    }

    /// Reports the news since the last call.
    func tell(_ reporter: any EventSink) throws(DuetError) {
        defer { (warnings, news) = ([], []) }
        for warning in warnings { try reporter.warn(warning.line) }
        for event in news {
            switch event {
            case .opened(let description):
                let facts = description.facts(bus: 0, appliesGain: appliesGain)
                try reporter.report(.source(facts))
            case .tags(let tags):
                try reporter.report(
                    .tags(
                        bus: 0, title: tags.title, artist: tags.artist, album: tags.album,
                        lyrics: tags.lyrics))
            case .stemLost(let error, let left):
                // Whoever names a file wants it in the mix.
                if hasNamedStems { throw DuetError(ofStem: error) }
                try reporter.report(.stemLost(bus: 0, error, left: left))
            case .title(let text): try reporter.report(.title(bus: 0, text: text))
            case .reconnecting(let attempt, let fault, let delay):
                try reporter.report(
                    .reconnecting(bus: 0, attempt: attempt, reason: fault.description, delay: delay)
                )
            case .effects(let effects, let frame):
                try reporter.report(.effects(bus: 0, frame: frame, effects))
            case .effectsLimited(let limit): try reporter.warn(limit.description)
            case .skipped(let error): try reporter.warn(DuetError(error).line)
            default: break
            }
        }
    }

    /// Forgets news that nobody is told.
    func forgetNews() { news = [] }

    /// Waits until `description` is known; reports the news until then. Throws when the song cannot be
    /// opened, or `interrupted`.
    ///
    /// - Parameter reporter: nil if nobody is told.
    func waitUntilOpen(telling reporter: (any EventSink)? = nil) throws(DuetError) {
        var waiter = PollSet()
        waiter.add(inbox.descriptor)
        while description == nil {
            waiter.wait(seconds: 0.2)
            look()
            if let failure { throw failure }
            if description == nil, let reporter { try tell(reporter) }
            if Signals.isStopping { throw .interrupted }
        }
    }

    /// Whether no other song follows or went before.
    var isSingle: Bool { queue.listCount == 1 }

    /// Whether the last frame was rendered.
    var isOver: Bool { source.state == .ended }

    /// Frames that were rendered. To be called after the last frame; waits for the thread.
    func countFrames() -> Int64 {
        var waiter = PollSet()
        waiter.add(inbox.descriptor)
        while !isFinished {
            waiter.wait(seconds: 0.2)
            look()
        }
        return Int64(source.feed.pushedFrames)
    }

    /// Ends the song's thread.
    func stop() { queue.stop() }
}
