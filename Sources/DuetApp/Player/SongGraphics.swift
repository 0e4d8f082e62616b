import AudioMedia

/// The moving picture of the song that is heard, as far as it is heard.
struct SongGraphics {
    /// The picture changes at most so often, in seconds.
    private static let interval = 0.1

    private var graphics: CDGraphics?
    private var rendered = HeardPlace()
    /// What is seen now; nil: the song has no picture.
    private(set) var picture: Picture?
    /// Of `picture`, the number of its last change, and when another may be shown.
    private var (shownChanges, dueTime) = (0, 0.0)

    /// Takes what the song's thread says of the song and its picture.
    mutating func take(_ event: SongEvent) {
        switch event {
        case .opened: self = SongGraphics()
        case .graphics(let found):
            graphics = found
            picture = Picture(found)
            shownChanges = found.changes
        default: break
        }
    }

    /// Whether there is a picture.
    var isThere: Bool { graphics != nil }

    /// Looks at the song at `now`, in seconds of the clock; see `SongLyrics.look`.
    mutating func look(
        _ song: SongLyrics.Movement, at now: Double, delay: Double, offset: Double
    ) {
        guard graphics != nil else { return }
        rendered.note(song.place, speed: song.speed, step: song.step, at: now)
        guard now >= dueTime, let place = rendered.place(at: now - delay) else { return }
        // The picture on the way to a place that is far away is not shown.
        guard graphics?.advance(to: place - offset) == true, let graphics,
            graphics.changes != shownChanges
        else { return }
        picture = Picture(graphics)
        shownChanges = graphics.changes
        dueTime = now + Self.interval
    }
}
