import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// A test that computes for minutes in a debug build, where nothing is optimised.
    public static var optimizedBuild: Self {
        .disabled(
            if: _isDebugAssertConfiguration(),
            "computes too long without -c release -Xswiftc -enable-testing")
    }

    /// Tests that share no process with others: they have a server, a limit of the process, or a clock
    /// that a busy process would upset. `scripts/test` gives each such suite a process.
    public static func ownProcess(_ why: String) -> Self {
        .enabled(
            if: getenv("DUET_TEST_SUITE") != nil, "needs a process of its own: \(why)")
    }
}
