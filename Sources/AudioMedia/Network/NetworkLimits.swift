/// How long and how much a song's bytes are waited for. Times in seconds, sizes in bytes.
public struct NetworkLimits: Sendable {
    /// Until a connection stands.
    public var connect = 10.0
    /// Until the head of the answer is there, with all connections and redirects on the way.
    public var answer = 30.0
    /// Without a byte, in a transfer that is not paused, until it counts as stalled.
    public var stall = 5.0
    /// Before the first retry; doubled before each further one.
    public var firstPause = 0.5
    /// Before any retry.
    public var longestPause = 10.0
    /// The longest wait that a server's `Retry-After` is obeyed for.
    public var longestRetryAfter = 30.0
    /// Without a byte of progress until a song is given up; a station never is. The time that it
    /// takes to read again what was there before, where no part can be had, does not count.
    public var giveUp = 60.0
    /// Redirects that are followed.
    public var redirects = 20
    /// Bytes of an answer's head, with those of all redirects on the way.
    public var head = 64 << 10
    /// Bytes kept in all, read or not.
    public var kept = 64 << 20
    /// Bytes kept ahead of the decoder; the transfer is paused there.
    public var readAhead = 16 << 20

    /// What `duet` uses.
    public static let standard = NetworkLimits()

    public init() {}
}
