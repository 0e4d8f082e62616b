/// What can be asked of the songs, or of the transport that leads them.
enum SongRequest: Sendable, Equatable {
    /// Play, or pause.
    case play(Bool)
    /// Move by so many seconds: on (+) or back (−).
    case seek(by: Double)
    /// Move to a place in the present song, in seconds.
    case locate(Double)
    /// Play the part over and over, or the whole song.
    case loop(SongLoop)
    /// To the next song, if there is one.
    case next
    /// To the song before, or to the start of the first.
    case previous
}
