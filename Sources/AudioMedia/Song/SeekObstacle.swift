/// Why a seek cannot be done.
public enum SeekObstacle: Sendable, Equatable, CustomStringConvertible {
    /// A station's stream has no other place.
    case live
    /// The bytes of that place are kept no more, and cannot be asked for again.
    case notKept
    /// The bytes of that place do not come.
    case refused(NetworkFault)
    /// All songs are over, and none can be played again.
    case noSong

    /// The reason, in words.
    public var description: String {
        switch self {
        case .live: "it is live"
        case .notKept: "what was there is no longer kept"
        case .refused(let fault): fault.description
        case .noSong: "no song is left"
        }
    }
}
