import Testing

@testable import DuetApp

/// When a run goes on with its microphone after its songs.
@Suite struct StayRuleTests {
    private typealias Outcome = StayRule.Outcome

    @Test(arguments: [
        (Outcome(), false),
        (Outcome(count: 2), true),
        (Outcome(isEdited: true), true),
        (Outcome(hasFailed: true), true),
        (Outcome(endWasSought: true), true),
        (Outcome(hasSounded: false, count: 9, isEdited: true, hasFailed: true), false),
        (Outcome(hasSounded: false, endWasSought: true), false),
    ])
    func atATerminal(outcome: StayRule.Outcome, stays: Bool) {
        #expect(StayRule(isAttended: true).stays(after: outcome) == stays)
        // Who is asked to stay does, and who is not does not, whatever happened.
        for asked in [true, false] {
            for isAttended in [true, false] {
                let rule = StayRule(asked: asked, isAttended: isAttended, pausesBetween: true)
                #expect(rule.stays(after: outcome) == asked)
            }
        }
        // A script ends with its songs, unless a command took the last one to its end.
        #expect(
            StayRule().stays(after: outcome) == (outcome.hasSounded && outcome.endWasSought))
    }

    /// The next singer may come after the last song, too.
    @Test func aPauseBetweenSongsIsOneAtTheEnd() {
        #expect(StayRule(isAttended: true, pausesBetween: true).stays(after: Outcome()))
        #expect(!StayRule(pausesBetween: true).stays(after: Outcome()))
    }
}
