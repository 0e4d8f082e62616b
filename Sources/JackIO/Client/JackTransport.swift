/// The position and state of JACK's transport.
public struct JackTransport: Sendable, Hashable {
    /// The transport's frame at the cycle under way, at the server's rate.
    public var frame: Int
    /// Whether the transport moves.
    public var isRolling: Bool
    /// Whether the transport is about to roll, and waits for the programs that follow it.
    public var isStarting: Bool

    public init(frame: Int = 0, isRolling: Bool = false, isStarting: Bool = false) {
        self.frame = frame
        self.isRolling = isRolling
        self.isStarting = isStarting
    }
}
