import Testing

@testable import duet

@Suite struct CycleWatchTests {
    @Test func aServerThatHangsIsToldOnce() {
        var watch = CycleWatch()
        let goesOn = (0..<20).map { watch.tells(cycles: $0, at: 100 + Double($0)) }
        #expect(!goesOn.contains(true))
        let told = (0..<20).map { watch.tells(cycles: 19, at: 120 + Double($0)) }
        #expect(told.firstIndex(of: true) == 3 && told.count(where: \.self) == 1)
        // It goes on, and hangs again.
        let again = (0..<20).map { watch.tells(cycles: 20, at: 140 + Double($0)) }
        #expect(again.firstIndex(of: true) == 4 && again.count(where: \.self) == 1)
    }

    /// Who was stopped does not blame the server.
    @Test func whoWasAwayHasSeenNothing() {
        var watch = CycleWatch()
        let told = [(5, 10), (5, 11), (5, 60), (5, 61), (6, 62)].map { cycles, time in
            watch.tells(cycles: cycles, at: Double(time))
        }
        #expect(!told.contains(true))
    }
}
