/// What is heard of a song at a moment.
struct HeardSong {
    /// Where it comes from, without user name and password.
    var location: String
    var title: String
    /// The frame that is rendered next, counted at the graph's rate.
    var frame: Int64
    /// Frames of the song in a frame of the graph.
    var speed: Double
    /// Whether each frame of the graph is one of the song.
    var isAtItsSpeed: Bool { speed == 1 }
}

extension SongPlayer {
    /// What is heard now; nil: nothing.
    var heardNow: HeardSong? {
        guard let source, sounds, !title.location.isEmpty else { return nil }
        return HeardSong(
            location: title.location, title: title.text, frame: source.position,
            speed: effects.tuning.speed)
    }

    /// Where it is, for scripts.
    var positionEvent: Event? {
        guard let position else { return nil }
        return .position(
            bus: bus, seconds: position.seconds, duration: position.duration,
            buffered: position.buffered, exact: position.isExact)
    }
}
