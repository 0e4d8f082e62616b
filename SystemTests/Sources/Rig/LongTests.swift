import Foundation

/// What proves something by repetition alone.
public enum LongTests {
    /// Whether tests repeat as often as they can, as with `scripts/test --long`, or a few times.
    public static let areRun = ProcessInfo.processInfo.environment["DUET_LONG_TESTS"] != nil
}
