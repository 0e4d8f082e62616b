import SystemSupport

/// Reads what belongs to a song, such as its lyrics, on threads of its own, so that neither a disk that
/// hangs nor a slow server holds up anybody. Only the newest request counts: what an older one finds is
/// told to nobody. It does not hold up the newer one either: that gets another thread.
///
/// Any thread.
final class NewestLoader<Found: Sendable>: Sendable {
    /// Reads what is asked for, and gives up where the function says so; nil: there is none.
    typealias Reading = @Sendable (_ isOutdated: () -> Bool) throws(SongError) -> Found?
    typealias Telling = @Sendable (Result<Found, SongError>) -> Void

    private struct Job: Sendable {
        let number: Int
        let name: String
        let read: Reading
        let tell: Telling
    }

    private struct State {
        /// The number of the newest request.
        var number = 0
        /// What a thread is to do next.
        var waiting: Job?
        /// How many threads are at work.
        var threads = 0
    }

    /// Most threads, all others of which hang.
    private static var mostThreads: Int { 4 }

    private let threadName: String
    private let state = Guarded(State())

    /// - Parameter threadName: at most 15 bytes.
    init(_ threadName: String) { self.threadName = threadName }

    /// Begins to read what is called `name`. `tell` is called on the loader's thread, unless another
    /// request comes first; it is not called where there is nothing. It must not block, nor use this
    /// loader.
    func load(_ name: String, _ read: @escaping Reading, _ tell: @escaping Telling) {
        let needsThread = state.withLock { state in
            state.number += 1
            state.waiting = Job(number: state.number, name: name, read: read, tell: tell)
            guard state.threads < Self.mostThreads else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        let code = DetachedThread.start(threadName, stack: .libraries) { [self] in work() }
        guard code != 0 else { return }
        let lost = state.withLock { state -> Job? in
            state.threads -= 1
            // Another one that is at work takes it.
            guard state.threads == 0 else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        guard let job = lost else { return }
        self.tell(.failure(.cannotOpen(song: job.name, .noThread(code: code))), of: job)
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
                let found = try job.read { self.state.withLock { $0.number } != job.number }
                if let found { tell(.success(found), of: job) }
            } catch {
                tell(.failure(error), of: job)
            }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.threads -= 1 }
            return state.waiting
        }
    }

    /// Tells under the lock, so that nothing is told after `cancel` or a newer request.
    private func tell(_ result: Result<Found, SongError>, of job: Job) {
        state.withLock { if $0.number == job.number { job.tell(result) } }
    }
}
