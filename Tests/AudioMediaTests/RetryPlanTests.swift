import Testing

@testable import AudioMedia

/// Whether a transfer that failed is tried again, and when.
@Suite struct RetryPlanTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var fault = NetworkFault.broken
        var attempt = 1
        var isLive = false
        var hasStarted = true
        var hasReach = true
        var silence: Double?
        /// Nil: the song is given up.
        let delay: Double?

        var testDescription: String {
            "\(fault), \(attempt), live \(isLive), started \(hasStarted), reach \(hasReach), "
                + "dry for \(silence.map { "\($0)" } ?? "-") s"
        }
    }

    @Test(arguments: [
        // Pauses double, to 10 s where any server answers, else to 3 s.
        Case(attempt: 1, delay: 0.5), Case(attempt: 2, delay: 1), Case(attempt: 5, delay: 8),
        Case(attempt: 6, delay: 10), Case(attempt: .max, delay: 10),
        Case(attempt: 3, hasReach: false, delay: 2), Case(attempt: 4, hasReach: false, delay: 3),
        Case(attempt: 99, hasReach: false, delay: 3),
        // A minute after the reader ran dry, the last attempt is made; then the song is given up.
        Case(attempt: 9, silence: 0, delay: 10), Case(attempt: 9, silence: 55, delay: 5),
        Case(attempt: 9, silence: 60, delay: nil), Case(attempt: 9, silence: 1e9, delay: nil),
        Case(attempt: 9, isLive: true, silence: 1e9, delay: 10),
        Case(attempt: 9, isLive: true, hasReach: false, silence: 1e9, delay: 3),
        // The server's own wish counts, within reason.
        Case(fault: .status(503, wait: 7), delay: 7),
        Case(fault: .status(503, wait: 3600), delay: 30),
        Case(fault: .status(503, wait: 3600), silence: 50, delay: 10),
        // What is absent is asked for again, whether any of the song has come or not.
        Case(fault: .noSuchHost, hasStarted: false, delay: 0.5),
        Case(fault: .noSuchProxy, hasStarted: false, delay: 0.5),
        Case(fault: .notConnected(reason: nil), hasStarted: false, delay: 0.5),
        Case(fault: .noConnectionWithin(10), hasStarted: false, delay: 0.5),
        Case(fault: .noAnswerWithin(30), hasStarted: false, delay: 0.5),
        Case(fault: .stalled, hasStarted: false, delay: 0.5),
        Case(fault: .noSuchHost, hasStarted: false, silence: 9.75, delay: 0.25),
        Case(fault: .noSuchHost, hasStarted: false, silence: 10, delay: nil),
        Case(fault: .notConnected(reason: nil), hasStarted: false, silence: 10, delay: nil),
        Case(fault: .notConnected(reason: nil), hasStarted: true, silence: 10, delay: 0.5),
        Case(fault: .noConnectionWithin(10), hasStarted: false, silence: 10, delay: 0.5),
        // These may be there to stay.
        Case(fault: .noSecureConnection, hasStarted: false, delay: nil),
        Case(fault: .noSecureConnection, hasStarted: true, delay: 0.5),
        Case(fault: .status(404), delay: nil), Case(fault: .changed, delay: nil),
        Case(fault: .status(404), isLive: true, delay: 0.5),
    ])
    func aFailure(_ row: Case) {
        let plan = RetryPlan(
            limits: .standard, fault: row.fault, attempt: row.attempt, isLive: row.isLive,
            hasStarted: row.hasStarted, hasReach: row.hasReach, silence: row.silence)
        #expect(plan.delay(jitter: 1) == row.delay)
    }

    /// A host that has answered is there, though it refuses now.
    @Test func whatWasAnsweredIsWaitedForLonger() {
        let plan = RetryPlan(
            limits: .standard, fault: .notConnected(reason: nil), hasStarted: false,
            wasAnswered: true, silence: 20)
        #expect(plan.delay(jitter: 1) == 0.5)
    }

    /// The longest pause stays the longest, whatever the jitter.
    @Test(arguments: [(1, true, 0.375, 0.625), (9, true, 7.5, 10), (9, false, 2.25, 3)])
    func jitterSpreadsThePauses(
        attempt: Int, hasReach: Bool, shortest: Double, longest: Double
    ) {
        let plan = RetryPlan(
            limits: .standard, fault: .broken, attempt: attempt, hasReach: hasReach)
        #expect(plan.delay(jitter: 0.75) == shortest && plan.delay(jitter: 1.25) == longest)
    }

    /// Exactly what is waited for before the first byte is tried again in a later round.
    @Test(arguments: [
        NetworkFault.noSuchHost, .noSuchProxy, .notConnected(reason: nil), .noConnectionWithin(10),
        .noAnswerWithin(30), .noWholeAnswerWithin(20), .stalled, .broken, .signedOff,
        .noSecureConnection, .authoritiesNotRead, .certificate(.expired), .other("x"), .status(404),
        .status(408),
        .status(429), .status(500), .status(503, wait: 9), .status(502, isProxys: true), .notHTTP,
        .invalidAddress, .tooManyRedirects(20), .redirectedElsewhere,
        .tooManyHeaders(kibibytes: 64),
        .encoded("gzip"), .changed, .notTheStation, .stationFull, .notOnAir,
        .otherPart(isFinal: false), .otherPart(isFinal: true), .noPart,
    ])
    func whatIsWaitedForIsAbsent(_ fault: NetworkFault) {
        let isRetried = RetryPlan(limits: .standard, fault: fault).delay(jitter: 1) != nil
        let error = SongError.cannotOpen(song: "x", .network(fault))
        #expect(ListedSong.State.refused(because: error).mayPlay == isRetried)
    }
}
