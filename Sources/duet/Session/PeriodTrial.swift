import JackIO
import SystemSupport

/// Tries how short the server's cycles may be on this machine.
///
/// The server runs for other programs too: its own period comes back, whatever happens. A stop
/// ends the trial, and a second one waits until the period is back.
struct PeriodTrial {
    /// What one period did.
    struct Outcome: Sendable, Equatable {
        let period: Int
        /// Cycles that came too late; nil: the server would not have it.
        let xruns: Int?
    }

    /// Frames a cycle.
    static let periods = [64, 128, 256]

    /// On the server, with its cycles under way.
    let client: JackClient
    /// How long each is tried.
    let seconds: Double
    let signals: Signals

    /// The outcomes, fewer where a stop came or the server went; and whether the old period is
    /// back. Blocks.
    func run() -> (outcomes: [Outcome], isRestored: Bool) {
        let before = client.period
        Signals.holdsOn = true
        defer { Signals.holdsOn = false }
        var outcomes: [Outcome] = []
        for period in Self.periods {
            guard !Signals.isStopping, !client.isShutDown else { break }
            guard client.setPeriod(period) else {
                outcomes.append(Outcome(period: period, xruns: nil))
                continue
            }
            // The change itself is a gap that no period is to be blamed for.
            wait(seconds: min(0.5, seconds))
            let start = client.statistics.xruns
            wait(seconds: seconds)
            guard !Signals.isStopping, !client.isShutDown else { break }
            outcomes.append(Outcome(period: period, xruns: client.statistics.xruns - start))
        }
        let isRestored = client.period == before || client.setPeriod(before)
        return (outcomes, isRestored)
    }

    private func wait(seconds: Double) {
        var waiter = PollSet()
        let end = Clock.seconds + seconds
        while Clock.seconds < end, !Signals.isStopping, !client.isShutDown {
            waiter.removeAll()
            waiter.add(signals.descriptor)
            waiter.add(client.eventDescriptor)
            waiter.wait(seconds: end - Clock.seconds)
            _ = signals.next()
            _ = client.drainEvents()
        }
    }
}
