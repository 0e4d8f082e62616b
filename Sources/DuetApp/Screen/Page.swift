/// What the screen can show in place of the levels.
enum Page: Sendable, Equatable {
    /// The keys.
    case help
    /// Connections, latencies, and what was reported so far.
    case details
    /// The words of the song.
    case lyrics
    /// The list of songs.
    case list
}
