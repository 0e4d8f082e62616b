/// How far the newest seek has come.
enum SeekProgress {
    /// Where a seek leads.
    struct Landing {
        /// What was asked for, in seconds from the song's beginning.
        let asked: Double
        /// The same, or the song's end where that is earlier.
        let seconds: Double
        /// The number of the frame, among all that were ever put into the ring, that it begins
        /// with.
        let index: Int
    }

    /// A seek whose answer has not come.
    struct Wait {
        /// What is heard until the answer is there.
        enum Meanwhile: Equatable {
            /// The song, at its old place.
            case song
            /// Nothing: the song begins at the place.
            case nothing
            /// Nothing: the place is where the song was heard in another ring, in seconds.
            case moved(seconds: Double)
        }
        let meanwhile: Meanwhile
        /// What is repeated from the new place on.
        var part: SongPart?
    }

    /// There is none.
    case none
    /// The song that it is meant for is not open, or the seek asks for no more than its beginning.
    case asked(PendingSeek)
    /// The decoder was told to go there, and its server may have to be asked.
    case waiting(PendingSeek, Wait)
    /// The frames before the place are decoded and dropped, or the ring is filled from there on.
    case underWay(PendingSeek, Landing)
    /// The frames from the place on are played. Kept until another stretch begins, to tell a place
    /// past the song's end.
    case arrived(Landing)

    /// The seek, until it has arrived.
    var pending: PendingSeek? {
        switch self {
        case .asked(let seek), .waiting(let seek, _), .underWay(let seek, _): seek
        case .none, .arrived: nil
        }
    }

    /// Where a seek leads that was asked to tell its arrival; nil when there is none.
    var landing: Landing? {
        switch self {
        case .underWay(let seek, let landing): seek.reportsArrival ? landing : nil
        case .arrived(let landing): landing
        case .none, .asked, .waiting: nil
        }
    }

    /// The seek that waits for its answer while the song is heard.
    var waitingUnheard: PendingSeek? {
        if case .waiting(let seek, let wait) = self, wait.meanwhile == .song { seek } else { nil }
    }

    /// Whether nothing is to be decoded until an answer is there.
    var holds: Bool {
        if case .waiting(_, let wait) = self { wait.meanwhile != .song } else { false }
    }

    /// The frames from the place on are played from now on. Gives the place where a seek has just
    /// arrived that was asked to tell it.
    mutating func arrive() -> Landing? {
        if case .waiting = self { return nil }
        let (wasPending, place) = (pending != nil, landing)
        self = place.map { .arrived($0) } ?? .none
        return wasPending ? place : nil
    }

    /// Another stretch of frames begins in the ring.
    mutating func beginStretch() { if case .arrived = self { self = .none } }
}
