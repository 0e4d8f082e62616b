import SystemSupport

/// Does the main thread's work on disks, which is never waited for while a user is at the keys. Work of one line
/// is done in the order in which it was given, each piece on a thread of its own: a disk that hangs holds up
/// its line alone.
///
/// Main thread.
final class DiskWorker {
    /// Work that is done one piece after the other.
    enum Line: Hashable, Sendable {
        case list, lists, microphone, names, notices, presets, session, songs, takes, unseenList,
            view,
            words, wordsBeside
    }

    private let patience: Double

    private final class Job {
        let line: Line
        let begin: () throws(BoundedCall.Failure) -> Void
        let descriptor: () -> Int32?
        /// Takes the result, if it is there; what is returned passes it on.
        let take: () -> Continuation?
        /// Passes on that there is no result.
        let fail: (BoundedCall.Failure) throws(DuetError) -> Void
        let late: Continuation?
        /// Time at which it is late, in seconds of the clock; infinite once that is told.
        var lateTime: Double
        let isAwaited: Bool
        var state = State.waits

        init(
            line: Line, begin: @escaping () throws(BoundedCall.Failure) -> Void,
            descriptor: @escaping () -> Int32?, take: @escaping () -> Continuation?,
            fail: @escaping (BoundedCall.Failure) throws(DuetError) -> Void,
            late: Continuation?, lateTime: Double, isAwaited: Bool
        ) {
            (self.line, self.begin, self.descriptor) = (line, begin, descriptor)
            self.isAwaited = isAwaited
            (self.take, self.fail, self.late) = (take, fail, late)
            self.lateTime = lateTime
        }
    }

    private enum State {
        case waits, isUnderWay
        case failed(BoundedCall.Failure)
    }

    /// - Parameter patience: seconds after which a piece of work is late, and for which the end of the run waits.
    init(patience: Double = 2) { self.patience = patience }

    typealias Continuation = () throws(DuetError) -> Void

    /// In the order in which they were given.
    private var jobs: [Job] = []

    /// Does `work` after what its line was given before.
    ///
    /// - Parameters:
    ///   - isAwaited: whether the end of the run waits for it; true.
    ///   - late: called once if there is no result after `patience`; nil by default.
    ///   - then: takes the result; `notBegun` if there is no thread, `unanswered` at the end of the run if `late`
    ///     was not called.
    func run<Value: Sendable>(
        on line: Line, isAwaited: Bool = true, _ work: @escaping @Sendable () -> Value,
        late: Continuation? = nil,
        then: @escaping (Result<Value, BoundedCall.Failure>) throws(DuetError) -> Void
    ) {
        let call = PendingCall<Value>()
        jobs.append(
            Job(
                line: line,
                begin: { () throws(BoundedCall.Failure) in try call.start(work) },
                descriptor: { call.descriptor },
                take: {
                    guard let value = call.take() else { return nil }
                    return { () throws(DuetError) in try then(.success(value)) }
                },
                fail: { error throws(DuetError) in try then(.failure(error)) }, late: late,
                lateTime: Clock.seconds + patience, isAwaited: isAwaited))
        beginFirst()
    }

    /// Whether the work of a line has taken longer than `patience`.
    func isLate(_ line: Line) -> Bool {
        jobs.first { $0.line == line }.map { $0.lateTime == .infinity } ?? false
    }

    /// Begins the first job of each line.
    private func beginFirst() {
        var seen: Set<Line> = []
        for job in jobs where seen.insert(job.line).inserted {
            guard case .waits = job.state else { continue }
            do throws(BoundedCall.Failure) {
                try job.begin()
                job.state = .isUnderWay
            } catch {
                job.state = .failed(error)
                job.lateTime = 0
            }
        }
    }

    // MARK: Turns

    /// Readable when `update` has something to do.
    var descriptors: [Int32] { jobs.compactMap { $0.descriptor() } }

    /// Seconds until `update` has something to do in any case.
    var secondsLeft: Double {
        jobs.reduce(.infinity) { min($0, $1.lateTime) } - Clock.seconds
    }

    /// Passes on what has come, and tells what is late.
    func update() throws(DuetError) {
        for job in jobs {
            switch job.state {
            case .waits: continue
            case .isUnderWay:
                guard let pass = job.take() else { continue }
                remove(job)
                try pass()
            case .failed(let failure):
                remove(job)
                try job.fail(failure)
            }
        }
        for job in jobs where Clock.seconds >= job.lateTime {
            // What has failed is passed on in the next turn.
            if case .failed = job.state { continue }
            job.lateTime = .infinity
            try job.late?()
        }
    }

    private func remove(_ job: Job) {
        jobs.removeAll { $0 === job }
        beginFirst()
    }

    /// Waits for all work as long as a disk may take, also for what results lead to, and gives up the rest.
    /// Throws the first error of those who take the results.
    func finish() throws(DuetError) {
        let end = Clock.seconds + patience
        var failure: DuetError?
        var waiter = PollSet()
        jobs.removeAll { !$0.isAwaited }
        beginFirst()
        while !jobs.isEmpty, Clock.seconds < end {
            waiter.removeAll()
            for descriptor in descriptors { waiter.add(descriptor) }
            waiter.wait(seconds: min(max(0, secondsLeft), end - Clock.seconds))
            do throws(DuetError) { try update() } catch { failure = failure ?? error }
        }
        let rest = jobs
        jobs = []
        for job in rest where job.late == nil || job.lateTime < .infinity {
            do throws(DuetError) { try job.fail(.unanswered) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
