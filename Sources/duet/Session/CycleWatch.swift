/// Sees a server that hangs: it says nothing, and makes no cycles.
struct CycleWatch {
    /// Freewheel waits for songs, 3 s a cycle at most.
    private static let patience = 4.0

    private var cycles = 0
    private var since = 0.0
    private var looked = 0.0
    private var isTold = false

    /// Whether no cycle was made for too long; true once, until one is made.
    mutating func tells(cycles: Int, at now: Double) -> Bool {
        // Who was stopped for a while has seen nothing.
        let wasAway = now - looked > 1.5
        looked = now
        if cycles != self.cycles { isTold = false }
        if cycles != self.cycles || wasAway { (self.cycles, since) = (cycles, now) }
        guard !isTold, now - since >= Self.patience else { return false }
        isTold = true
        return true
    }
}
