/// Why a queue player did not take a buffer.
public enum QueueError: Error, Hashable, CustomStringConvertible {
    /// The buffer has another format than the player.
    case wrongFormat(node: String, buffer: StreamFormat, player: StreamFormat)
    /// So many buffers are queued that no more fit.
    case queueIsFull(node: String, limit: Int)

    public var description: String {
        switch self {
        case .wrongFormat(let node, let buffer, let player):
            "\(node) plays \(player), and the buffer has \(buffer): convert it first"
        case .queueIsFull(let node, let limit):
            "\(limit) buffers wait in \(node): no more fit until one has been played"
        }
    }
}
