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

    /// Of `thread`, which runs; nil: not known.
    init(thread: jack_native_thread_t?, isServerRealtime: Bool) {
        var policy: Int32 = -1
        var parameter = sched_param()
        if let thread, unsafe pthread_getschedparam(thread, &policy, &parameter) != 0 {
            policy = -1
        }
        self.isServerRealtime = isServerRealtime
        // The kernel marks the policy of threads whose children do not inherit it.
        let plain = policy & ~Int32(0x4000_0000)
        isRealtime = policy >= 0 && (plain == SCHED_FIFO || plain == SCHED_RR)
        priority = isRealtime ? Int(parameter.sched_priority) : 0
    }
}
