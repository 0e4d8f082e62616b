/// A place that was asked for, from the key press to the frame that sounds.
struct PendingSeek: Sendable {
    /// The greater, the later it was asked for.
    let number: Int
    /// Seconds from the beginning of the song.
    let seconds: Double
    /// Whether `seeked` is told when it arrives: not of a skip, which begins a song.
    var isTold = true
    /// The second that it arrives at, once the song is open: its end, where `seconds` lies behind
    /// that.
    var arrival: Double?
}
