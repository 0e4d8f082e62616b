/// What is heard of a song at a moment.
struct HeardSong {
    /// Where it comes from, without user name and password.
    var location: String
    var title: String
    /// The frame that is rendered next, counted at the graph's rate.
    var frame: Int64
    /// Whether each frame of the graph is one of the song.
    var isAtItsSpeed: Bool
}
