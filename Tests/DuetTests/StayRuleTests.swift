import Testing

@testable import DuetApp

/// When a run goes on with its microphone after its songs.
@Suite struct StayRuleTests {
    @Test func singersAtATerminalDecideThemselvesWhenItEnds() {
        let rule = StayRule(isAttended: true)
        #expect(rule.stays(hasSounded: true, endWasSought: false))
        #expect(rule.stays(hasSounded: true, endWasSought: true))
        // Nothing was heard: there is nothing to come back to.
        #expect(!rule.stays(hasSounded: false, endWasSought: true))
    }

    @Test func aScriptEndsWithItsSongs() {
        let rule = StayRule()
        #expect(!rule.stays(hasSounded: true, endWasSought: false))
        // A command took the last one to its end.
        #expect(rule.stays(hasSounded: true, endWasSought: true))
        #expect(!rule.stays(hasSounded: false, endWasSought: true))
    }

    @Test(arguments: [true, false])
    func whatIsAskedForIsDone(asked: Bool) {
        for number in 0..<8 {
            let rule = StayRule(asked: asked, isAttended: number & 4 != 0)
            #expect(
                rule.stays(hasSounded: number & 1 != 0, endWasSought: number & 2 != 0) == asked)
        }
    }
}
