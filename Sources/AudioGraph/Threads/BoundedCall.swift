import Synchronization

/// Work on a thread of its own that is waited for only so long.
///
/// libjack may wait for a server that is stopped or dead without any limit of its own, and so may
/// the resolver for a name server; the thread is then left behind.
package enum BoundedCall {
    /// Runs `work` and waits up to `milliseconds`. False: `work` has not ended and may still go on,
    /// or it was not begun, since the process has no thread or descriptor left.
    package static func run(milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        start(work)?.wait(milliseconds: milliseconds) ?? false
    }

    /// Begins `work`, and returns what tells its end. Nil: the process has no thread or descriptor
    /// left, and `work` is not run, for on the caller's thread it would have no bound.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Signpost? {
        guard let end = Signpost(),
            DetachedThread.start(
                "bounded-call",
                {
                    work()
                    end.set()
                }) == 0
        else { return nil }
        return end
    }

    /// As `run`, for work that has an answer; nil: `work` has not ended, was not begun, or has no
    /// answer. An answer that comes later is freed on the thread of `work`.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the answer is waited for; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait. Default: it is not.
    package static func answer<Value: Sendable>(
        milliseconds: Int, unless isCancelled: () -> Bool = { false },
        _ work: @escaping @Sendable () -> Value?
    ) -> Value? {
        let answer = Answer<Value>()
        let end = start {
            let value = work()
            answer.state.withLock { state in
                if case .awaited = state { state = .given(value) }
            }
        }
        guard let end else { return nil }
        _ = end.wait(milliseconds: milliseconds, unless: isCancelled)
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
        /// The wait for the answer is over.
        case abandoned
    }
    let state = Mutex(State.awaited)
}
