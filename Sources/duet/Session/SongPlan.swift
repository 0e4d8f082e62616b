/// The songs of one bus, and how they are played.
struct SongPlan: Sendable {
    /// Played one after the other, as the user named them.
    var songs: [String]
    /// The place where playing begins.
    var start = SessionState.Place()
    /// Whether the user asked for that place; false: a session kept it.
    var startIsAsked = true
    /// Whether the first song follows the last.
    var loops = false
    /// Whether the run goes on when all songs are over.
    var stays = false
    /// Whether the song follows JACK's transport, and whether this program leads it.
    var role = TransportRole.none
    /// Whether the gain in a song's tags is applied.
    var appliesGain = true
}
