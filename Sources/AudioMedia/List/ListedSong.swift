/// The place of a song among those that a queue was given.
public struct SongPlace: Sendable, Hashable {
    /// The number of what the queue was given, from 0: a song, or a playlist.
    public var song: Int
    /// If that is a playlist, the number of the song in it. All songs of a playlist inside it have
    /// the same number.
    public var part: Int

    public init(song: Int = 0, part: Int = 0) {
        self.song = song
        self.part = part
    }
}

/// A song in the list of a queue, or a playlist that was not opened yet.
public struct ListedSong: Sendable, Equatable {
    /// What became of an entry when it was to be opened.
    public enum State: Sendable, Equatable {
        /// It was not tried, or it can be played.
        case waiting
        /// Its server was not reached, was busy or broke off; it is tried again at `until`, in
        /// seconds of a clock that never jumps (`CLOCK_MONOTONIC`).
        case absent(until: Double, because: NetworkFault)
        /// It cannot be played, and is passed over. Choose it to try it again. If its server was
        /// absent, it is also tried when its turn comes again.
        case refused(because: SongError)
    }

    /// By what the queue knows it: the number stays the song's own wherever it is moved, and no
    /// other song of the queue gets it.
    public let id: Int
    public let location: Location
    /// What its tags say, once it was opened, else what a playlist calls it; nil: not known.
    public var title: String?
    /// What its tags say; nil: nothing, or it was not opened yet.
    public var artist: String?
    /// In seconds; nil: unknown, or it is live.
    public var duration: Double?
    /// Who sings it; nil: nobody was named.
    public var singer: String?
    public var state: State
    /// Why its file cannot be played, found by a look at it before its turn; nil: nothing was found.
    public var fault: SongFault?
    /// What names the song with all that belongs to it: `location`, or the text of UltraStar that names it.
    public let source: Location

    /// An entry with these facts.
    ///
    /// - Parameters:
    ///   - id: its number as the queue knows it.
    ///   - location: where its file or stream is.
    ///   - title: nil: not known.
    ///   - artist: nil: not known.
    ///   - duration: in seconds; nil: not known.
    ///   - singer: nil: nobody was named.
    ///   - state: `waiting`.
    ///   - fault: nil: none was found.
    ///   - source: nil: `location`.
    public init(
        id: Int, location: Location, title: String? = nil, artist: String? = nil,
        duration: Double? = nil, singer: String? = nil, state: State = .waiting,
        fault: SongFault? = nil, source: Location? = nil
    ) {
        (self.duration, self.singer, self.fault) = (duration, singer, fault)
        self.source = source ?? location
        self.id = id
        self.location = location
        self.title = title
        self.artist = artist
        self.state = state
    }
}

extension ListedSong.State {
    /// Whether the entry is played when its turn comes.
    var mayPlay: Bool {
        if case .refused(let error) = self { error.isAbsence } else { true }
    }
}

extension SongError {
    /// Whether the network or the server is at fault, and not the song.
    public var isAbsence: Bool {
        if case .network(let fault) = fault { fault.isAbsence } else { false }
    }
}
