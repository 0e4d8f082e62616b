import CJack
import Glibc

/// Whether the process thread runs before everything else.
public struct ThreadScheduling: Sendable, Hashable {
    /// Whether the server asks for realtime scheduling of its clients.
    public let isServerRealtime: Bool
    /// Whether the thread has SCHED_FIFO or SCHED_RR.
    public let isRealtime: Bool
    /// The realtime priority, 1…99; 0 without.
    public let priority: Int

    init(thread: Int32, isServerRealtime: Bool) {
        var priority: Int32 = 0
        let policy = thread > 0 ? unsafe cjack_thread_policy(thread, &priority) : -1
        self.isServerRealtime = isServerRealtime
        // The kernel marks the policy of threads whose children do not inherit it.
        let plain = policy & ~Int32(0x4000_0000)
        isRealtime = policy >= 0 && (plain == SCHED_FIFO || plain == SCHED_RR)
        self.priority = Int(priority)
    }
}
