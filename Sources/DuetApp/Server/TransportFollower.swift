import JackIO

/// Decides where a song that follows JACK's transport is sought. Frames at the graph's rate.
struct TransportFollower {
    /// Where a song is.
    struct Song {
        var frame: Int
        /// Its length; nil while unknown.
        var end: Int?
        /// Whether all of it was heard.
        var hasEnded: Bool
        var sampleRate: Int
    }

    /// How far the song may be ahead of a transport that rolls, in seconds, and how far behind,
    /// before it is sought: within that the cycles themselves wait, or drop frames that are late.
    private static let early = 0.1
    private static let late = 5.0

    /// Whether the transport rolled when it was seen last.
    private(set) var isRolling = false
    /// The last goal, where the song may come to stand beside it and is not to be sent again: the
    /// transport stands there, or the song ends there.
    private var sought: Int?
    /// Whether the song cannot be sought, until the transport stops or starts.
    private var isRefused = false

    /// Notes whether the transport rolls; true when that has changed.
    mutating func note(isRolling: Bool) -> Bool {
        guard isRolling != self.isRolling else { return false }
        self = TransportFollower(isRolling: isRolling)
        return true
    }

    /// The song refused to be sought.
    mutating func noteRefusal() { isRefused = true }

    /// Frames are counted at another rate now.
    mutating func noteOtherRate() { sought = nil }

    /// The frame that `song` is to be sought at, to be where `transport` is; nil when it is there,
    /// or is not to be sent again.
    mutating func goal(of song: Song, for transport: JackTransport) -> Int? {
        // A length may be an estimate; where the song has come to is a fact.
        let end = song.end.map { max(song.frame, $0) } ?? .max
        let goal = min(transport.frame, end)
        guard !isRefused, goal != sought else { return nil }
        let isThere =
            if song.hasEnded, song.frame <= goal {
                true
            } else if transport.isRolling {
                (-Self.late...Self.early).contains(
                    Double(song.frame - goal) / Double(song.sampleRate))
            } else {
                song.frame == goal
            }
        guard !isThere else { return nil }
        sought = transport.isRolling && goal < end ? nil : goal
        return goal
    }

    init(isRolling: Bool = false) { self.isRolling = isRolling }
}
