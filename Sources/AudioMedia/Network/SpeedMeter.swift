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
