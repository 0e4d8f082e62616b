import SystemSupport

// When the thread sleeps, and what wakes it.
extension SongWorker {
    /// When the next round is due.
    var nextRound: NextRound {
        NextRound(
            filler: filler, line: line, herald: herald, ringState: ringState, isPaused: isPaused,
            period: period)
    }

    /// Sleeps until there is something to do.
    func wait() {
        waitForInput(
            [control.wake?.descriptor ?? -1, filler.feed.demand],
            milliseconds: nextRound.milliseconds)
    }
}
