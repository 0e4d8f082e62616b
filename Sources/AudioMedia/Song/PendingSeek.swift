/// A seek that is under way, from the request to the first frame that is heard.
struct PendingSeek: Sendable {
    /// Counts the seeks: the newest has the greatest number.
    let number: Int
    /// Seconds from the beginning of the song.
    let seconds: Double
    /// Whether `seeked` is told when the seek arrives; not for a skip, which begins a song.
    var reportsArrival = true
}
