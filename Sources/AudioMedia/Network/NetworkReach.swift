import Synchronization

/// Counts the signs that this machine reaches a server: what servers have sent to any transfer of
/// this process. Any thread.
final class NetworkReach: Sendable {
    /// The one of this process.
    static let shared = NetworkReach()

    private let signs = Atomic<Int>(0)

    /// How many signs there were. While this does not change, no server is reached.
    var count: Int { signs.load(ordering: .relaxed) }

    func note() { signs.wrappingAdd(1, ordering: .relaxed) }
}
