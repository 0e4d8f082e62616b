import Testing

@testable import JackIO

@Suite struct RealtimeLimitsTests {
    private func limits(_ texts: String...) -> RealtimeLimits {
        RealtimeLimits(group: "audio", in: texts)
    }

    @Test func theGroupsLimitsAreRead() {
        #expect(limits("@audio   -  rtprio     95\n@audio - memlock unlimited").isComplete)
        #expect(limits("@audio soft rtprio 1", "*\t-\tmemlock\t262144").isComplete)
        #expect(!limits("@audio - rtprio 95").isComplete)
        #expect(!limits("@audio - memlock unlimited").isComplete)
    }

    @Test func whatDoesNotHelpIsLeftOut() {
        let texts = [
            "#@audio - rtprio 95", "@video - rtprio 95", "audio - rtprio 95",
            "@audio hard rtprio 95", "@audio - rtprio 0", "@audio - rtprio", "@audio - nice -19",
            "",
        ]
        for text in texts { #expect(!limits(text).allowsPriority, "\(text)") }
        #expect(!limits("@audio - memlock 8192").allowsMemory)
        // Of two lines for the same limit the last counts.
        #expect(!limits("@audio - rtprio 95", "@audio - rtprio 0").allowsPriority)
    }
}
