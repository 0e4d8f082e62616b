/// The limits of loading a song. Times in seconds, sizes in bytes.
public struct NetworkLimits: Sendable {
    /// Time until a connection must be made.
    public var connect = 10.0
    /// Time until the first byte of the body must have come, after all connections and redirects.
    public var answer = 30.0
    /// Time without a byte, after the first, until a transfer counts as stalled, unless it is
    /// paused.
    public var stall = 5.0
    /// Pause before the first retry; doubled before each further one.
    public var firstPause = 0.5
    /// Longest pause before a retry.
    public var longestPause = 10.0
    /// Longest pause before a retry while no server at all was reached since the last byte.
    public var absencePause = 3.0
    /// The longest wait that a server's `Retry-After` is obeyed for.
    public var longestRetryAfter = 30.0
    /// Time without progress, after what had come was read, until a song is given up; a station
    /// never is. Where a server sends no parts, the time to read earlier bytes again does not count.
    public var giveUp = 60.0
    /// The same while no connection was ever made, because the name or the port leads nowhere. The queue
    /// takes `giveUp` for it where other songs wait.
    public var giveUpNowhere = 10.0
    /// Most redirects that are followed.
    public var redirects = 20
    /// Most bytes of an answer's head, with the heads of all redirects before it.
    public var head = 64 << 10
    /// Most bytes of a song that are kept, decoded or not.
    public var kept = 64 << 20
    /// Most bytes kept ahead of the decoder; the transfer is paused there.
    public var readAhead = 16 << 20

    /// Limits that fit most networks.
    public static let standard = NetworkLimits()

    public init() {}
}

/// How many bytes a song can have.
enum SongSize {
    /// 4 TiB: a year (`SongTime.longest`) at more than 1 Mbit/s.
    static let longest: Int64 = 1 << 42

    /// A length in bytes as a server, a file or a caller names it; nil when no song is so long:
    /// then the length is not known.
    static func believable(_ length: Int64) -> Int64? {
        (0...longest).contains(length) ? length : nil
    }
}
