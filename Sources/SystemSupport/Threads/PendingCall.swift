/// Work on a thread of its own whose end is asked for, and not waited for: one piece of work at a time.
/// For one thread, which begins the work and takes its answer.
package final class PendingCall<Value: Sendable> {
    private final class Answer: Sendable {
        let value = Guarded<Value?>(nil)
    }

    private var current: (end: EventFlag, answer: Answer)?

    package init() {}

    /// Whether work was begun, and its answer was not taken yet.
    package var isUnderWay: Bool { current != nil }

    /// Readable (poll(2)) when `take` has an answer; nil while nothing is under way.
    package var descriptor: Int32? { current?.end.descriptor }

    /// Begins `work`.
    ///
    /// - Throws: `busy` while other work is under way; `notBegun`.
    package func start(
        _ work: @escaping @Sendable () -> Value
    ) throws(BoundedCall.Failure) {
        guard current == nil else { throw .busy }
        let answer = Answer()
        let end = try BoundedCall.begin {
            let value = work()
            answer.value.withLock { $0 = value }
        }
        current = (end, answer)
    }

    /// The answer, once; nil while there is none.
    package func take() -> Value? { finish(seconds: 0) }

    /// As `take`, but waits so long for the answer: an hour at most, whatever the number.
    package func finish(seconds: Double) -> Value? {
        let milliseconds = seconds > 0 ? Int(min(seconds, 3600) * 1000) : 0
        guard let (end, answer) = current, end.wait(milliseconds: milliseconds) else { return nil }
        current = nil
        return answer.value.withLock { $0 }
    }
}
