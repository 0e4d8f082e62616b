/// Where JACK's transport is.
public struct JackTransport: Sendable, Hashable {
    /// Of the cycle under way, at the server's rate.
    public var frame: Int
    /// Whether it moves.
    public var isRolling: Bool
    /// Whether it is about to, and waits for its followers.
    public var isStarting: Bool

    public init(frame: Int = 0, isRolling: Bool = false, isStarting: Bool = false) {
        self.frame = frame
        self.isRolling = isRolling
        self.isStarting = isStarting
    }
}
