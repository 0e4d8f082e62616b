import Synchronization

/// Decides, from facts alone, whether a transfer that failed is tried again, and when.
struct RetryPlan {
    let limits: NetworkLimits
    let fault: NetworkFault
    /// How many transfers in a row failed without a new byte, this one included.
    var attempt = 1
    /// Whether it is a station, which is never given up.
    var isLive = false
    /// Whether any byte of the song has come.
    var hasStarted = false
    /// Whether a server has answered for this song.
    var wasAnswered = false
    /// Whether any server has answered this program since the song's last byte.
    var hasReach = true
    /// For how many seconds the song's reader has lacked bytes while none came; nil: it has bytes
    /// left, or nobody reads.
    var silence: Double?

    /// Seconds until the next attempt; nil: the song is given up.
    ///
    /// - Parameter jitter: a random factor near 1, so that many listeners do not all come back to a
    ///   server at once.
    func delay(jitter: Double) -> Double? {
        let isWorthIt =
            switch fault.remedy {
            case .retry: true
            case .retryOnceStarted: hasStarted
            case .none: false
            }
        let giveUp =
            !hasStarted && !wasAnswered && fault.leadsNowhere
            ? min(limits.giveUpNowhere, limits.giveUp) : limits.giveUp
        guard isLive || isWorthIt && silence ?? 0 < giveUp else { return nil }
        let longest = hasReach ? limits.longestPause : min(limits.longestPause, limits.absencePause)
        var (delay, doublings) = (limits.firstPause, attempt - 1)
        while delay < longest, doublings > 0 { (delay, doublings) = (2 * delay, doublings - 1) }
        delay = min(min(delay, longest) * jitter, longest)
        delay = max(delay, min(fault.retryAfter, limits.longestRetryAfter))
        // The last attempt is at the very end.
        guard !isLive, let silence else { return delay }
        return min(delay, giveUp - silence)
    }
}

/// How fast bytes come while they are wanted, over the last seconds. Times in seconds.
struct SpeedMeter {
    private var bytes = 0
    private var seconds = 0.0
    private var since: Double?

    /// Bytes are wanted from now on.
    mutating func begin(at now: Double) {
        end(at: now)
        since = now
    }

    /// No byte is wanted any more.
    mutating func end(at now: Double) {
        if let since { seconds += now - since }
        since = nil
    }

    mutating func add(_ count: Int, at now: Double) {
        bytes += count
        // After 4 s all bytes so far lose half their weight, so that newer ones count more.
        guard let since, seconds + now - since > 4 else { return }
        seconds = (seconds + now - since) / 2
        bytes /= 2
        self.since = now
    }

    /// Bytes a second; nil while unknown.
    func speed(at now: Double) -> Double? {
        let seconds = seconds + (since.map { now - $0 } ?? 0)
        return seconds > 0.05 && bytes > 0 ? Double(bytes) / seconds : nil
    }
}

/// Counts the signs that this machine reaches a server: what servers have sent to any transfer of
/// this process. Any thread.
final class NetworkReach: Sendable {
    /// The one of this process.
    static let shared = NetworkReach()

    private let signs = Atomic<Int>(0)

    /// How many signs there were. While this does not change, no server is reached.
    var count: Int { signs.load(ordering: .relaxed) }

    func note() { signs.wrappingAdd(1, ordering: .relaxed) }
}
