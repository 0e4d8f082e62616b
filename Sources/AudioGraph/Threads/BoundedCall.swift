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

    /// As `run`, for work that has an answer; nil: it has not ended, or nobody is to have it.
    package static func answer<Value: Sendable>(
        milliseconds: Int, _ work: @escaping @Sendable () -> Value?
    ) -> Value? {
        let answer = Answer<Value>()
        let hasEnded = run(milliseconds: milliseconds) {
            let value = work()
            answer.value.withLock { $0 = value }
        }
        return hasEnded ? answer.value.withLock { $0 } : nil
    }
}

private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
