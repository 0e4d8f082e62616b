/// Rules by which songs are played, whichever they are.
struct PlaybackRules: Sendable, Equatable {
    /// Whether the first song follows the last.
    var loops = false
    var between = BetweenSongs.play
    /// Whether a song that is added comes after as many turns of its singer as the others have.
    var takesFairTurns = false
    /// Whether the run goes on when all songs are over; nil if neither was asked for.
    var stays: Bool?
    /// Whether the song follows JACK's transport, or this program leads it.
    var transport = TransportRole.none
    /// Whether the gain in a song's tags is applied.
    var appliesGain = true

    /// Whether a song that is over is followed by a pause, until users play on.
    var pausesBetween: Bool { between == .pause }
}
