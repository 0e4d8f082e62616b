/// Finds out that a server hangs, which no server tells: it makes no cycles for 4 s. Finds out as
/// well that such a server goes on.
struct CycleWatch {
    enum News: Equatable {
        /// No cycle was made for too long.
        case hangs
        /// After that, cycles are made again.
        case goesOn
    }

    /// Seconds without a cycle after which a server counts as hanging: in freewheel a cycle may wait
    /// 3 s for the songs.
    private static let patience = 4.0

    private var cycles = 0
    /// When `cycles` was seen to grow.
    private var since = 0.0
    /// When `look` was called last.
    private var looked = 0.0
    /// Whether the server hangs, as far as was told.
    private(set) var hangs = false

    /// What is new, when the server has made `cycles` cycles by `now`, in seconds of the clock; each
    /// change is told once.
    mutating func look(at cycles: Int, now: Double) -> News? {
        // After SIGCONT the watch starts anew: it saw no cycles while the process was stopped.
        let wasAway = now - looked > 1.5
        looked = now
        let goesOn = cycles != self.cycles
        if goesOn || wasAway { (self.cycles, since) = (cycles, now) }
        if goesOn, hangs {
            hangs = false
            return .goesOn
        }
        guard !hangs, now - since >= Self.patience else { return nil }
        hangs = true
        return .hangs
    }
}
