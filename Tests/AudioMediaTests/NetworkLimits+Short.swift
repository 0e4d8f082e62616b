@testable import AudioMedia

extension NetworkLimits {
    /// Limits that keep tests short.
    static var short: NetworkLimits {
        var limits = NetworkLimits.standard
        limits.connect = 2
        limits.answer = 1
        limits.stall = 0.3
        limits.firstPause = 0.02
        limits.longestPause = 0.05
        limits.longestRetryAfter = 0.1
        limits.giveUp = 2
        return limits
    }
}
