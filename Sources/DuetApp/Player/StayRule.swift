/// Whether a run goes on, with its microphone, when its songs are over.
struct StayRule: Sendable, Equatable {
    /// What `--stay` or `--no-stay` asked for; nil: neither was given.
    var asked: Bool?
    /// Whether somebody sings at a terminal, without a time after which the run ends.
    var isAttended = false
    /// Whether a song that is over is followed by a pause.
    var pausesBetween = false

    /// What became of the songs.
    struct Outcome: Equatable {
        /// Whether any of them was heard.
        var hasSounded = true
        /// How many entries the list has; those of playlists and folders count.
        var count = 1
        /// Whether a user has changed the list.
        var isEdited = false
        /// Whether the last song could not be played, or broke off.
        var hasFailed = false
        /// Whether a user took the last song to its end.
        var endWasSought = false
    }

    func stays(after outcome: Outcome) -> Bool {
        if let asked { return asked }
        guard outcome.hasSounded else { return false }
        let isEvening =
            outcome.count > 1 || outcome.isEdited || outcome.hasFailed || pausesBetween
        return outcome.endWasSought || isAttended && isEvening
    }
}
