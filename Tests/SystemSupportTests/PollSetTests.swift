import Glibc
import TestSupport
import Testing

@testable import SystemSupport

/// To poll(2) a negative time has no end; `PollSet` takes it as already over.
@Suite struct PollSetTests {
    @Test(arguments: [-1, .min, -1_000_000]) func aNegativeTimeIsOver(milliseconds: Int) {
        #expect(!waitForInput([], milliseconds: milliseconds))
        #expect(PollSet.timeout(milliseconds) == 0)
    }

    @Test(arguments: [-1, -Double.infinity, 0]) func aMomentThatHasPassedIsOver(seconds: Double)
        throws
    {
        let flag = try #require(EventFlag())
        #expect(!waitForInput(flag.descriptor, until: monotonicSeconds() + seconds))
        var set = PollSet([flag.descriptor])
        #expect(!set.wait(seconds: seconds) && !set.isReady(flag.descriptor))
    }

    @Test func noTimeIsTooLongForPoll() { #expect(PollSet.timeout(.max) == 60_000) }

    @Test func aFlagStaysSetUntilItIsCleared() throws {
        let flag = try #require(EventFlag())
        #expect(!flag.wait(milliseconds: 0))
        flag.set()
        var set = PollSet()
        set.add(nil)
        set.add(flag.descriptor)
        #expect(set.wait(seconds: 10) && set.isReady(flag.descriptor) && !set.isReady(nil))
        #expect(flag.wait(milliseconds: -1) && flag.wait(milliseconds: 0))
        #expect(flag.clear() && !flag.clear())
        #expect(!flag.wait(milliseconds: 0) { true })
    }

    /// A full socket is ready when its reader has taken enough, and is then not readable itself.
    @Test func whatCanBeWrittenIsReady() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let block = [UInt8](repeating: 0, count: 1 << 16)
        while send(ends[0], block, block.count, Int32(MSG_DONTWAIT)) > 0 {}
        var set = PollSet([ends[0]])
        set.add(writable: ends[0])
        let isFull = !set.wait(milliseconds: 0)
        #expect(isFull)
        var taken = [UInt8](repeating: 0, count: 1 << 20)
        while recv(ends[1], &taken, taken.count, Int32(MSG_DONTWAIT)) > 0 {}
        let isReady = set.wait(milliseconds: 10_000)
        #expect(isReady && !set.isReady(ends[0]))
    }
}
