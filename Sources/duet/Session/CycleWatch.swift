/// Sees a server that hangs, since it says nothing and makes no cycles, and one that goes on.
struct CycleWatch {
    enum News: Equatable {
        /// No cycle was made for too long.
        case hangs
        /// After that, cycles are made again.
        case goesOn
    }

    /// Freewheel waits for songs, 3 s a cycle at most.
    private static let patience = 4.0

    private var cycles = 0
    private var since = 0.0
    private var looked = 0.0
    private(set) var hangs = false

    /// What is new when so many cycles have been made by `now`, in seconds; told once.
    mutating func look(at cycles: Int, now: Double) -> News? {
        // After SIGCONT the watch starts anew: no cycles were seen while the process was stopped.
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
