import AudioGraph

/// What echo and reverb still give when all songs of a run are over: the run ends when it has died away.
struct LastEcho {
    /// Level below which the noise of a room hides the echo.
    private static let threshold = Decibels(-60)
    /// The most seconds: a microphone that is open may always be heard.
    private static let longest = 6.0

    /// When the songs were over, and when something was heard last, in seconds of the clock.
    private var times: (start: Double, heard: Double)?

    /// Whether it is waited for.
    var isAwaited: Bool { times != nil }

    /// Whether it is still heard.
    ///
    /// - Parameters:
    ///   - peak: the output's.
    ///   - now: in seconds of the clock.
    mutating func isHeard(peak: Decibels, now: Double) -> Bool {
        let start = times?.start ?? now
        let heard = peak > Self.threshold ? now : times?.heard ?? now
        times = (start, heard)
        return now < start + Self.longest && now < heard + MixGraph.longestSilence
    }
}
