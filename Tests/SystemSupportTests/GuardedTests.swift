import Foundation
import SystemSupport
import TestSupport
import Testing

/// A value that one thread at a time uses.
@Suite struct GuardedTests {
    private final class Sum: Sendable {
        let value = Guarded(0)
    }

    /// Under ThreadSanitizer, that this is no race.
    @Test func twoThreadsAddToOneSum() {
        let sum = Sum()
        let threads = (0..<2).map { _ in
            Thread { for _ in 0..<100_000 { sum.value.withLock { $0 += 1 } } }
        }
        for thread in threads { thread.start() }
        #expect(poll { threads.allSatisfy(\.isFinished) })
        #expect(sum.value.withLock { $0 } == 200_000)
    }

    @Test func aValueInUseIsNotWaitedFor() {
        let sum = Sum()
        #expect(sum.value.withLockIfAvailable { $0 } == 0)
        let (isHeld, isSeen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            sum.value.withLock { _ in
                isHeld.signal()
                isSeen.wait()
            }
        }
        thread.start()
        isHeld.wait()
        #expect(sum.value.withLockIfAvailable { $0 } == nil)
        isSeen.signal()
        #expect(poll { sum.value.withLockIfAvailable { $0 } == 0 })
    }

    @Test func theValueIsFreed() {
        final class Owned: Sendable {}
        weak var owned: Owned?
        do {
            let guarded = Guarded(Owned())
            owned = guarded.withLock { $0 }
            #expect(owned != nil)
        }
        #expect(owned == nil)
    }
}
