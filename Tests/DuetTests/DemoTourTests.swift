import Testing

@testable import DuetApp

/// What the demo shows in the second half of its song.
@Suite struct DemoTourTests {
    @Test func oneChangeAfterTheOther() throws {
        var (tour, plan) = (DemoTour(), MixPlan(second: .mic(channelCount: 1)))
        var told: [String] = []
        for second in 0..<41 {
            guard let command = tour.command(at: Double(second), of: 40, plan),
                case .set(let value) = command.verb
            else { continue }
            try plan.set([Assignment(command.address, value)])
            told.append("\(second) \(command.address) \(value)")
        }
        #expect(told == ["20 /song/vocals/remove 100", "23 /mic/preset plate", "26 /song/key 2"])
        #expect(tour.command(at: 40, of: 40, plan) == nil)
    }

    /// What the user has set stays: a preset would take the values of single effects away.
    @Test(arguments: [("preset", "hall"), ("reverb/wet", "40"), ("eq/preset", "rock")])
    func whatIsSetStays(name: String, value: String) throws {
        var (tour, plan) = (DemoTour(), MixPlan(second: .mic(channelCount: 1)))
        try plan.set([Assignment("/mic/\(name)", value), Assignment("/song/key", "-1")])
        #expect(tour.command(at: 39, of: 40, plan) == Command(.set("100"), "/song/vocals/remove"))
        #expect(tour.command(at: 39, of: 40, plan) == nil)
    }
}
