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
        guard isLive || isWorthIt && silence ?? 0 < limits.giveUp else { return nil }
        let longest = hasReach ? limits.longestPause : min(limits.longestPause, limits.absencePause)
        var (delay, doublings) = (limits.firstPause, attempt - 1)
        while delay < longest, doublings > 0 { (delay, doublings) = (2 * delay, doublings - 1) }
        delay = min(min(delay, longest) * jitter, longest)
        delay = max(delay, min(fault.retryAfter, limits.longestRetryAfter))
        // The last attempt is at the very end.
        guard !isLive, let silence else { return delay }
        return min(delay, limits.giveUp - silence)
    }
}
