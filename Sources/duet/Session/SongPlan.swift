/// What one bus plays, and how.
struct SongPlan: Sendable {
    /// One after the other, as the user named them.
    var songs: [String]
    /// Where it begins.
    var start = SessionState.Place()
    /// Whether the user asked for that place, and no session keeps it.
    var startIsAsked = true
    /// Whether the first follows the last.
    var loops = false
    /// Whether the run goes on when all are over.
    var stays = false
    /// Whether JACK's transport says where it is.
    var role = TransportRole.none
    /// Whether the gain in a song's tags is applied.
    var appliesGain = true
}
