import SystemSupport

/// Reads lyrics on a thread of its own, so that neither a disk that hangs nor a slow server holds up
/// anybody. Only the newest request counts: what an older one finds is told to nobody.
///
/// Any thread.
final class LyricsLoader: Sendable {
    /// What is to be read.
    enum Place: Sendable {
        case named(Location)
        /// The file beside a song, which may be missing.
        case beside(Location)

        /// As it may be shown.
        var name: String {
            switch self {
            case .named(let place): place.description
            case .beside(let song): "the lyrics of \(song)"
            }
        }
    }

    private struct Job: Sendable {
        let number: Int
        let place: Place
        let tell: @Sendable (Result<Lyrics, SongError>) -> Void
    }

    private struct State {
        /// The number of the newest request.
        var number = 0
        /// What the thread is to do next.
        var waiting: Job?
        var hasThread = false
    }

    private let state = Guarded(State())

    /// Begins to read. `tell` is called on the loader's thread, unless another request comes first;
    /// it is not called where no file lies beside the song. It must not block, nor use this loader.
    func load(_ place: Place, _ tell: @escaping @Sendable (Result<Lyrics, SongError>) -> Void) {
        let needsThread = state.withLock { state in
            state.number += 1
            state.waiting = Job(number: state.number, place: place, tell: tell)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        let code = DetachedThread.start("lyrics") { [self] in work() }
        guard code != 0, let job = nextJob() else { return }
        state.withLock { $0.hasThread = false }
        self.tell(.failure(.cannotOpen(song: job.place.name, .noThread(code: code))), of: job)
    }

    /// Forgets what was asked: nothing is told any more.
    func cancel() {
        state.withLock {
            $0.number += 1
            $0.waiting = nil
        }
    }

    private func work() {
        while let job = nextJob() {
            do throws(SongError) {
                let isOutdated = { self.state.withLock { $0.number } != job.number }
                let found =
                    switch job.place {
                    case .named(let place): try LyricsFile.read(place, unless: isOutdated)
                    case .beside(let song): try LyricsFile.read(beside: song, unless: isOutdated)
                    }
                if let found { tell(.success(found), of: job) }
            } catch {
                tell(.failure(error), of: job)
            }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.hasThread = false }
            return state.waiting
        }
    }

    /// Tells under the lock, so that nothing is told after `cancel` or a newer request.
    private func tell(_ result: Result<Lyrics, SongError>, of job: Job) {
        state.withLock { if $0.number == job.number { job.tell(result) } }
    }
}
