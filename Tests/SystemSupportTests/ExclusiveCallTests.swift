import Glibc
import Synchronization
import SystemSupport
import TestSupport
import Testing

/// Calls that may hang: the wait for one is bounded, and no second begins meanwhile.
@Suite(.serialized) struct ExclusiveCallTests {
    private func failure<Value>(
        _ body: () throws(BoundedCall.Failure) -> Value
    ) -> BoundedCall.Failure? {
        do throws(BoundedCall.Failure) { _ = try body() } catch { return error }
        return nil
    }

    @Test func noCallBeginsWhileAnotherHangs() throws {
        let call = ExclusiveCall()
        let gate = try #require(EventFlag())
        #expect(
            failure { () throws(BoundedCall.Failure) in
                try call.call(milliseconds: 0) { gate.wait(milliseconds: -1) }
            } == .unanswered)
        let begun = Begun()
        #expect(
            failure { () throws(BoundedCall.Failure) in
                try call.call(milliseconds: -1) { begun.note() }
            } == .busy)
        gate.set()
        #expect(poll { (try? call.call(milliseconds: -1) { begun.note() }) != nil })
        #expect(begun.count.load(ordering: .relaxed) == 1)
    }

    @Test(.ownProcess("takes all descriptors of the process"))
    func aCallThatCannotBeginReturnsAtOnce() throws {
        let call = ExclusiveCall()
        let begun = Begun()
        Descriptors.exhausted {
            #expect(
                failure { () throws(BoundedCall.Failure) in
                    try call.call(milliseconds: -1) { begun.note() }
                } == .notBegun(EMFILE))
            #expect(BoundedCall.answer(milliseconds: -1) { begun.note() } == nil)
            #expect(!BoundedCall.run(milliseconds: -1) { begun.note() })
        }
        #expect(begun.count.load(ordering: .relaxed) == 0)
        #expect(try call.call(milliseconds: -1) { true })
    }

    /// Counts the calls that began.
    private final class Begun: Sendable {
        let count = Atomic(0)

        func note() { count.add(1, ordering: .relaxed) }
    }
}
