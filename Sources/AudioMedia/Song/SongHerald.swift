/// Tells of each song before its first frames are decoded for the ring, where that is asked for, and
/// holds it for a moment, so that it begins with the effects that are set for it. For one thread.
final class SongHerald {
    /// How long a song is held, in seconds: what is to be known of it may lie on a disk that hangs.
    private static let patience = 0.25

    private let control: SongControl
    private let isAsked: Bool
    private let clock: () -> Double
    /// The number of the song that was told of last, and until when it is held.
    private var told = (number: 0, end: 0.0)

    init(to control: SongControl, isAsked: Bool, clock: @escaping () -> Double) {
        self.control = control
        self.isAsked = isAsked
        self.clock = clock
    }

    /// Tells of `track` once it is known to be a song.
    func announce(_ track: Track?) {
        guard isAsked, let track, track.isOpen, track.number == 0 else { return }
        told = (told.number + 1, clock() + Self.patience)
        track.number = told.number
        control.emit(.found(track.location, number: told.number))
    }

    /// Whether no frame of `track` is to be decoded yet.
    func holds(_ track: Track) -> Bool {
        guard isAsked, track.effects == nil else { return false }
        return track.number == 0 || track.number == told.number && clock() < told.end
    }

    /// Milliseconds until no song is held any more.
    var millisecondsLeft: Int? {
        let left = told.end - clock()
        return left > 0 ? Int(left * 1000) + 1 : nil
    }
}
