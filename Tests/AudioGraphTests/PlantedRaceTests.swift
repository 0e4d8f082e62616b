import Foundation
import TestSupport
import Testing

/// A data race that ThreadSanitizer must report: proof that it would report one elsewhere.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["DUET_PLANT"] == "race",
        "a fault, planted for ThreadSanitizer"))
struct PlantedRaceTests {
    nonisolated(unsafe) private static var sum = 0

    @Test func twoThreadsAddToOneSum() {
        let threads = (0..<2).map { _ in
            Thread { for _ in 0..<1000 { Self.sum += 1 } }
        }
        for thread in threads { thread.start() }
        #expect(poll { threads.allSatisfy(\.isFinished) })
    }
}
