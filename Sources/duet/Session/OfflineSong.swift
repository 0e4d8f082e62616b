import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// A song, or a voice, that a renderer without a clock waits for: an MP3 from anywhere, or a
/// sound file. One thread.
final class OfflineSong {
    /// What fills the ring, on a thread of its own.
    private enum Feeder {
        case queue(SongQueue)
        case file(SoundFileFeeder)
    }

    let source: SongSource
    private let feeder: Feeder
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
        if let path = try Self.soundFile(name) {
            let file = SoundFileFeeder(path: path, source: source)
            do {
                let reader = try SoundFileReader(path: path)
                duration = reader.duration
                try file.start(at: seconds)
            } catch {
                throw DuetError(error)
            }
            feeder = .file(file)
        } else {
            let location: Location
            do { location = try Location(name) } catch { throw DuetError(error) }
            let queue = SongQueue(
                [location], source: source, loops: loops, isExact: true,
                appliesGain: appliesGain
            ) { [inbox] in inbox.post($0) }
            queue.start(at: seconds)
            feeder = .queue(queue)
        }
    }

    deinit { stop() }

    /// The path of a file that libsndfile is the one to read; nil for everything else. Throws when
    /// it is such a file, and cannot be played.
    static func soundFile(_ name: String) throws(DuetError) -> String? {
        guard case .file(let path)? = try? Location(name), !isMPEG(path) else { return nil }
        do {
            _ = try SoundFileReader(path: path)
            return path
        } catch .cannotPlay(let path, let reason, let hint) {
            throw DuetError(.cannotPlay(path: path, reason: reason, hint: hint))
        } catch {
            return nil
        }
    }

    /// Whether a file begins as MPEG audio does, which libsndfile knows as well, but neither
    /// without gaps nor exactly.
    private static func isMPEG(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var head: [UInt8] = [0, 0, 0]
        guard read(file, &head, 3) == 3 else { return false }
        return head == Array("ID3".utf8) || (head[0] == 0xFF && head[1] & 0xE0 == 0xE0)
    }

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
        if case .file(let file) = feeder, let error = file.error { failure = DuetError(error) }
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
        guard case .queue = feeder else { return }
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
        guard case .queue = feeder else { return source.position - start }
        var waiter = PollSet()
        waiter.add(inbox.descriptor)
        while !isFinished {
            waiter.wait(seconds: 0.2)
            look()
        }
        return endedFrames.reduce(0, +) - min(start, endedFrames.first ?? 0)
    }

    /// Ends its thread.
    func stop() {
        switch feeder {
        case .queue(let queue): queue.stop()
        case .file(let file): file.stop()
        }
    }
}

extension DuetError {
    /// The user stopped it: an end, not a failure.
    static let stopped = DuetError(status: .success, attempt: "stopped", result: "", hint: "")

    /// A sound file that cannot be read or written, as this program says it.
    init(_ error: SoundFileError) {
        self.init(
            status: ExitStatus(rawValue: error.exitCode) ?? .failure, attempt: error.message,
            result: "", hint: error.hint)
    }
}
