import Glibc
import Synchronization

/// Work on a thread of its own that is waited for only so long.
///
/// libjack may wait for a server that is stopped or dead without any limit of its own, and so may
/// the resolver for a name server; the thread is then left behind.
package enum BoundedCall {
    /// Why there is no answer.
    package enum Failure: Error, Equatable {
        /// The work was not begun: the process has no thread or descriptor left. An errno.
        case notBegun(Int32)
        /// The work was not begun: an earlier call has not ended (`ExclusiveCall`).
        case busy
        /// The work has not ended, and may still go on.
        case unanswered
    }

    /// Runs `work` and waits up to `milliseconds`. False: `work` has not ended and may still go on,
    /// or it was not begun, since the process has no thread or descriptor left.
    package static func run(milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        start(work)?.wait(milliseconds: milliseconds) ?? false
    }

    /// Begins `work`, and returns what tells its end. Nil: the process has no thread or descriptor
    /// left, and `work` is not run, for on the caller's thread it would have no bound.
    package static func start(_ work: @escaping @Sendable () -> Void) -> EventFlag? {
        try? begin(work)
    }

    private static func begin(
        _ work: @escaping @Sendable () -> Void
    ) throws(Failure) -> EventFlag {
        guard let end = EventFlag() else { throw .notBegun(errno) }
        let code = DetachedThread.start("bounded-call") {
            work()
            end.set()
        }
        guard code == 0 else { throw .notBegun(code) }
        return end
    }

    /// As `call`, where it does not matter why there is no answer; nil too when `work` has none.
    package static func answer<Value: Sendable>(
        milliseconds: Int, unless isCancelled: () -> Bool = { false },
        _ work: @escaping @Sendable () -> Value?
    ) -> Value? {
        try? call(milliseconds: milliseconds, unless: isCancelled, work)
    }

    /// As `run`, for work that has an answer. An answer that comes later is freed on the thread of
    /// `work`.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the answer is waited for; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait. Default: it is not.
    /// - Throws: `notBegun`, `unanswered`.
    package static func call<Value: Sendable>(
        milliseconds: Int, unless isCancelled: () -> Bool = { false },
        _ work: @escaping @Sendable () -> Value
    ) throws(Failure) -> Value {
        let answer = Answer<Value>()
        let end = try begin {
            let value = work()
            answer.state.withLock { state in
                if case .awaited = state { state = .given(value) }
            }
        }
        _ = end.wait(milliseconds: milliseconds, unless: isCancelled)
        let given: Value? = answer.state.withLock { state in
            guard case .given(let value) = state else {
                state = .abandoned
                return nil
            }
            return value
        }
        guard let given else { throw .unanswered }
        return given
    }
}

private final class Answer<Value: Sendable>: Sendable {
    enum State {
        case awaited
        case given(Value)
        /// The wait for the answer is over.
        case abandoned
    }
    let state = Mutex(State.awaited)
}
