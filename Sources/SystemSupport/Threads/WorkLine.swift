import Glibc

/// Does pieces of work in their order on a thread of its own, while the thread that gives them goes on.
/// The pieces wait in a queue with a limit: who gives them too fast waits until it is half empty. To spare
/// switches between the threads, work begins when the queue is half full, or by `finish`.
///
/// After the first failure nothing more is done. For one thread, never a realtime one.
package final class WorkLine<Piece: Sendable, Failure: Error>: Sendable {
    private let line: Line

    /// - Parameters:
    ///   - name: of the thread, as in `DetachedThread`. It begins with the first piece.
    ///   - limit: how many pieces wait at most.
    ///   - work: does one piece. Where the process has no thread left, the thread of `add` does it.
    package init(
        _ name: String, limit: Int, work: @escaping @Sendable (Piece) throws(Failure) -> Void
    ) {
        line = Line(name, limit: limit, work: work)
    }

    deinit { line.end() }

    /// Gives a piece, and waits for room in the queue. Throws why an earlier piece failed.
    package func add(_ piece: Piece) throws(Failure) { try line.add(piece) }

    /// Waits until all pieces are done. Throws why one failed.
    package func finish() throws(Failure) { try line.finish() }

    /// What the threads share. The thread of the work keeps it, and ends with the `WorkLine`.
    @safe private final class Line: @unchecked Sendable {
        // Safety: whoever holds the mutex uses the variables alone. The pointers stay as they are, and what
        // they point to lives as long as this.

        private let name: String
        private let limit: Int
        private let work: @Sendable (Piece) throws(Failure) -> Void
        private let mutex = unsafe makeMutex()
        /// Something below has changed.
        private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var pieces: [Piece] = []
        private var hasThread = false
        private var isWorking = false
        /// Whether all pieces are to be done, also when the queue is not half full.
        private var isFinishing = false
        private var isOver = false
        private var failure: Failure?

        init(
            _ name: String, limit: Int, work: @escaping @Sendable (Piece) throws(Failure) -> Void
        ) {
            (self.name, self.limit, self.work) = (name, limit, work)
            unsafe pthread_cond_init(change, nil)
        }

        deinit {
            unsafe pthread_cond_destroy(change)
            unsafe change.deallocate()
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
        }

        func add(_ piece: Piece) throws(Failure) {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            if !hasThread {
                hasThread = DetachedThread.start(name) { [self] in run() } == 0
            }
            if hasThread, pieces.count >= limit {
                repeat {
                    unsafe pthread_cond_wait(change, mutex)
                } while pieces.count > limit / 2 && failure == nil
            }
            if let failure { throw failure }
            pieces.append(piece)
            guard !hasThread else {
                if isDue, !isWorking { unsafe pthread_cond_broadcast(change) }
                return
            }
            doFirst()
            if let failure { throw failure }
        }

        func finish() throws(Failure) {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            isFinishing = true
            unsafe pthread_cond_broadcast(change)
            while !pieces.isEmpty || isWorking { unsafe pthread_cond_wait(change, mutex) }
            isFinishing = false
            if let failure { throw failure }
        }

        func end() {
            unsafe pthread_mutex_lock(mutex)
            isOver = true
            unsafe pthread_cond_broadcast(change)
            unsafe pthread_mutex_unlock(mutex)
        }

        private func run() {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            while true {
                while !isDue, !isOver { unsafe pthread_cond_wait(change, mutex) }
                if isOver, pieces.isEmpty { return }
                while !pieces.isEmpty { doFirst() }
            }
        }

        private var isDue: Bool {
            isFinishing ? !pieces.isEmpty : pieces.count > limit / 2
        }

        /// Does the first piece, without the lock, which the caller holds.
        private func doFirst() {
            let piece = pieces.removeFirst()
            isWorking = true
            if pieces.count == limit / 2 { unsafe pthread_cond_broadcast(change) }
            unsafe pthread_mutex_unlock(mutex)
            var failed: Failure?
            do throws(Failure) { try work(piece) } catch { failed = error }
            unsafe pthread_mutex_lock(mutex)
            isWorking = false
            if let failed {
                failure = failed
                pieces = []
            }
            if pieces.isEmpty { unsafe pthread_cond_broadcast(change) }
        }
    }
}
