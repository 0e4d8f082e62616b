import Glibc

/// Runs work on a thread of its own, and waits for its end only up to a limit.
///
/// libjack can wait without limit for a server that is stopped or dead, and the resolver for a name
/// server. After the limit the caller goes on, and the thread is left behind.
package enum BoundedCall {
    /// Why there is no answer.
    package enum Failure: Error, Equatable {
        /// The work was not begun: the process has no thread or descriptor left. An errno.
        case notBegun(Int32)
        /// The work was not begun, since an earlier call has not ended (`ExclusiveCall`).
        case busy
        /// The work has not ended, and may still go on.
        case unanswered
    }

    /// Runs `work` and waits up to `milliseconds` for its end. False when `work` has not ended and
    /// may still go on, or was not begun, since the process has no thread or descriptor left.
    package static func run(milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        start(work)?.wait(milliseconds: milliseconds) ?? false
    }

    /// Begins `work`, and returns a flag that is set when `work` has ended. Nil when the process
    /// has no thread or descriptor left: then `work` is not run, since on the caller's own thread
    /// nothing could bound it.
    package static func start(_ work: @escaping @Sendable () -> Void) -> EventFlag? {
        try? begin(work)
    }

    /// As `start`, but says why it was not begun.
    static func begin(
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

    /// As `call`, but nil instead of an error; also nil when `work` returns nil.
    package static func answer<Value: Sendable>(
        milliseconds: Int, unless isCancelled: () -> Bool = { false },
        _ work: @escaping @Sendable () -> Value?
    ) -> Value? {
        try? call(milliseconds: milliseconds, unless: isCancelled, work)
    }

    /// As `run`, for work that returns an answer. An answer that comes after the limit is freed on
    /// the thread of `work`.
    ///
    /// - Parameters:
    ///   - milliseconds: how long to wait for the answer; a negative time has no limit.
    ///   - isCancelled: asked 20 times a second; true ends the wait. By default never true.
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
        /// Nobody waits for the answer any more.
        case abandoned
    }
    let state = Guarded(State.awaited)
}
