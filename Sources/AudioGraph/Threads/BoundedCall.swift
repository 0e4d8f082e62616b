import Synchronization

/// Work on a thread of its own that is waited for only so long.
///
/// libjack may wait for a server that is stopped or dead without any limit of its own, and so may
/// the resolver for a name server; the thread is then left behind.
package enum BoundedCall {
    /// Runs `work` and waits up to `milliseconds`. False: it has not ended, and may still go on.
    /// Where no thread can be made it runs on the caller's.
    package static func run(milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        start(work)?.wait(milliseconds: milliseconds) ?? true
    }

    /// Runs `work`, and says what tells its end; nil: it has ended.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Signpost? {
        guard let end = Signpost(),
            DetachedThread.start(
                "bounded-call",
                {
                    work()
                    end.set()
                }) == 0
        else {
            work()
            return nil
        }
        return end
    }

    /// As `run`, for work that has an answer; nil: it has not ended, or has none.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the answer is waited for; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait. Default: it is not.
    ///   - late: gets an answer that comes when nobody waits any more, on the work's thread.
    package static func answer<Value: Sendable>(
        milliseconds: Int, unless isCancelled: () -> Bool = { false },
        late: @escaping @Sendable (Value) -> Void = { _ in },
        _ work: @escaping @Sendable () -> Value?
    ) -> Value? {
        let answer = Answer<Value>()
        let end = start {
            let value = work()
            let isLate = answer.state.withLock { state in
                if case .abandoned = state { return true }
                state = .given(value)
                return false
            }
            if isLate, let value { late(value) }
        }
        _ = end?.wait(milliseconds: milliseconds, unless: isCancelled)
        return answer.state.withLock { state in
            guard case .given(let value) = state else {
                state = .abandoned
                return nil
            }
            return value
        }
    }
}

private final class Answer<Value: Sendable>: Sendable {
    enum State {
        case awaited
        case given(Value?)
        /// Nobody waits any more.
        case abandoned
    }
    let state = Mutex(State.awaited)
}
