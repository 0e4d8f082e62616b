import AudioGraph

/// The highest peak of the last two seconds.
struct PeakHold {
    /// How long a peak is held, in seconds.
    private static let time = 2.0

    private var peak = Decibels.floor
    private var end = -Double.infinity

    /// Takes the present peak, and returns the one to show.
    ///
    /// - Parameter now: in seconds, of any clock.
    mutating func take(_ present: Decibels, now: Double) -> Decibels {
        if present >= peak || now >= end { (peak, end) = (present, now + Self.time) }
        return peak
    }
}
