import Testing

@testable import DuetApp

/// What the demo shows in the second half of its song.
@Suite struct DemoTourTests {
    @Test func oneChangeAfterTheOther() throws {
        var (tour, plan) = (DemoTour(), MixPlan(second: .mic(channelCount: 1)))
        var told: [String] = []
        for second in 0..<41 {
            guard let action = tour.action(at: Double(second), of: 40, plan),
                case .set(.parameter(let parameter), to: let value?) = action
            else { continue }
            plan[parameter] = value
            told.append("\(second) \(action.line)")
        }
        #expect(
            told == [
                "20 set /song/vocals/remove 100", "23 set /mic/preset plate", "26 set /song/key 2",
            ])
        #expect(tour.action(at: 40, of: 40, plan) == nil)
    }

    /// What the user has set stays: a preset would take the values of single effects away.
    @Test(arguments: [("preset", "hall"), ("reverb/wet", "40"), ("eq/preset", "rock")])
    func whatIsSetStays(name: String, value: String) throws {
        var (tour, plan) = (DemoTour(), MixPlan(second: .mic(channelCount: 1)))
        try plan.set([Assignment("/mic/\(name)", value), Assignment("/song/key", "-1")])
        #expect(tour.action(at: 39, of: 40, plan)?.line == "set /song/vocals/remove 100")
        #expect(tour.action(at: 39, of: 40, plan) == nil)
    }
}
