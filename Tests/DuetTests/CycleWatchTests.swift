import Testing

@testable import DuetApp

@Suite struct CycleWatchTests {
    /// The messages when the watch looks at `cycles` once a second from `time` on.
    private func told(_ watch: inout CycleWatch, _ cycles: [Int], from time: Int) -> [String] {
        cycles.enumerated().compactMap { index, count in
            watch.look(at: count, now: Double(time + index)).map { "\(index): \($0)" }
        }
    }

    @Test func aServerThatHangsIsToldOnceAndThatItGoesOn() {
        var watch = CycleWatch()
        #expect(told(&watch, Array(0..<20), from: 100).isEmpty)
        let hanging = [Int](repeating: 19, count: 20)
        #expect(told(&watch, hanging, from: 120) == ["3: hangs"])
        // The server goes on, and hangs again.
        #expect(
            told(&watch, hanging.map { $0 + 1 }, from: 140) == ["0: goesOn", "4: hangs"])
        #expect(told(&watch, Array(21..<40), from: 160) == ["0: goesOn"])
    }

    /// A process that was stopped observed no cycles meanwhile: the server did not hang.
    @Test func aStopOfThisProcessIsNoHangOfTheServer() {
        var watch = CycleWatch()
        let told = [(5, 10), (5, 11), (5, 60), (5, 61), (6, 62)].compactMap { cycles, time in
            watch.look(at: cycles, now: Double(time))
        }
        #expect(told.isEmpty)
    }
}
