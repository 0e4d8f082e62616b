import Testing

@testable import DuetApp

/// How long looks at files may take.
@Suite struct LookBudgetTests {
    /// Quick looks are all allowed; slow ones until a fifth of a second is spent, and in the next second
    /// again.
    @Test func aSecondHasAFifthForLooks() {
        var budget = LookBudget()
        let times = (0..<1000).map { 10 + Double($0) / 2000 }
        let quick = times.filter {
            budget.note(lookOf: 0.0001)
            return budget.allowsLook(at: $0)
        }
        #expect(quick == times)
        // The times of looks, and how long each takes.
        let looks = [(10.6, 0.15), (10.7, 0), (10.99, 0), (11.01, 0.19), (11.5, 0.19), (12, 0)]
        let allowed = looks.map { time, seconds in
            let isAllowed = budget.allowsLook(at: time)
            budget.note(lookOf: seconds)
            return isAllowed
        }
        #expect(allowed == [true, false, false, true, true, false])
    }
}
