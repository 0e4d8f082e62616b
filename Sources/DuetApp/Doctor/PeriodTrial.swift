import JackIO
import SystemSupport

/// Tries how short the server's cycles may be on this machine.
///
/// The server runs for other programs too, so its own period is put back in any case. A stop by the
/// user ends the trial, and a second stop does not end the program before the period is back.
struct PeriodTrial {
    /// What was found of one period.
    struct Outcome: Sendable, Equatable {
        let period: Int
        /// Cycles that came too late; nil: the server refused the period.
        let xruns: Int?
    }

    /// The periods that are tried, in frames.
    static let periods = [64, 128, 256]

    /// Active on the server.
    let client: JackClient
    /// How long each period is tried, in seconds.
    let seconds: Double
    let signals: Signals

    /// Tries the periods one after the other. Blocks.
    ///
    /// - Returns: the outcomes, fewer where the user stopped the trial or the server was lost, and
    ///   whether the old period is back.
    func run() -> (outcomes: [Outcome], isRestored: Bool) {
        let before = client.period
        Signals.holdsOn = true
        defer { Signals.holdsOn = false }
        var outcomes: [Outcome] = []
        for period in Self.periods {
            guard !Signals.isStopping, !client.isLost else { break }
            guard client.setPeriod(period) else {
                outcomes.append(Outcome(period: period, xruns: nil))
                continue
            }
            // Changing the period causes xruns of its own, which do not count.
            wait(seconds: min(0.5, seconds))
            let start = client.statistics.xruns
            wait(seconds: seconds)
            guard !Signals.isStopping, !client.isLost else { break }
            outcomes.append(Outcome(period: period, xruns: client.statistics.xruns - start))
        }
        let isRestored = client.period == before || client.setPeriod(before)
        return (outcomes, isRestored)
    }

    private func wait(seconds: Double) {
        var waiter = PollSet()
        let end = Clock.seconds + seconds
        while Clock.seconds < end, !Signals.isStopping, !client.isLost {
            waiter.removeAll()
            waiter.add(signals.descriptor)
            waiter.add(client.eventDescriptor)
            waiter.wait(seconds: end - Clock.seconds)
            _ = signals.next()
            _ = client.drainEvents()
        }
    }
}
