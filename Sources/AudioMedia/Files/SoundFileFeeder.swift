import AudioGraph
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// Plays a sound file through a `SongSource`, for offline rendering: the renderer asks, and a
/// thread fills the ring. Used by one thread.
public final class SoundFileFeeder {
    private let control = Control()
    private let source: SongSource
    private let path: String
    private var hasStarted = false

    /// Why the file broke off; what was read before it plays.
    public var error: SoundFileError? { control.error.withLock { $0 } }

    /// A feeder of `source`, which nothing else has used.
    public init(path: String, source: SongSource) {
        self.path = path
        self.source = source
    }

    deinit { stop() }

    /// Opens the file and begins, at `seconds` from its beginning. Once only.
    public func start(at seconds: Double = 0) throws(SoundFileError) {
        precondition(!hasStarted, "a file is started once")
        let feed = source.feed
        // Opened twice, so that what cannot be read is known here.
        _ = try SoundFileReader(path: path, sampleRate: feed.sampleRate)
        hasStarted = true
        let first = SongTime.frame(at: seconds, rate: feed.sampleRate)
        let code = DetachedThread.start("song") { [control, path] in
            do throws(SoundFileError) {
                let reader = try SoundFileReader(path: path, sampleRate: feed.sampleRate)
                try Self.play(reader, from: first, into: feed, control: control)
            } catch {
                control.error.withLock { $0 = error }
            }
            feed.finish()
            feed.release()
        }
        guard code == 0 else {
            throw .cannotPlay(
                path: path, reason: "no thread can be made: \(errorText(code))",
                hint: "end other programs")
        }
    }

    /// Ends the thread.
    public func stop() {
        control.isStopped.store(true, ordering: .relaxed)
        crealtime_event_signal(source.feed.demand)
    }

    private static func play(
        _ reader: SoundFileReader, from first: Int64, into feed: SongFeed, control: Control
    ) throws(SoundFileError) {
        var next: Int64 = 0
        while next < first {
            let skipped = unsafe try reader.takeStereo(Int(min(first - next, 4096))) { _, _ in }
            guard skipped > 0 else { return }
            next += Int64(skipped)
        }
        while !control.isStopped.load(ordering: .relaxed) {
            let space = feed.space
            if space > 0 {
                let count = unsafe try reader.takeStereo(space) { frames, count in
                    unsafe feed.push(frames, count: count, at: next)
                }
                next += Int64(count)
                guard count == space else { return }
            }
            feed.release()
            waitForInput([feed.demand], milliseconds: 100)
            _ = feed.takeDemand()
        }
    }

    private final class Control: Sendable {
        let isStopped = Atomic(false)
        let error = Mutex<SoundFileError?>(nil)
    }
}
