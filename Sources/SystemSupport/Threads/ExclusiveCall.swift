import Synchronization

/// Bounded calls, at most one at a time: while a call hangs no other begins. So none overtakes it,
/// and no second thread is left behind.
package final class ExclusiveCall: Sendable {
    private let isUnderWay = Atomic(false)

    package init() {}

    /// As `BoundedCall.call`.
    ///
    /// - Throws: `notBegun`, `unanswered`, and `busy` while an earlier call has not ended.
    package func call<Value: Sendable>(
        milliseconds: Int, _ work: @escaping @Sendable () -> Value
    ) throws(BoundedCall.Failure) -> Value {
        guard !isUnderWay.exchange(true, ordering: .acquiring) else { throw .busy }
        do throws(BoundedCall.Failure) {
            return try BoundedCall.call(milliseconds: milliseconds) { [self] in
                defer { isUnderWay.store(false, ordering: .releasing) }
                return work()
            }
        } catch {
            if case .notBegun = error { isUnderWay.store(false, ordering: .releasing) }
            throw error
        }
    }
}
