import CJack
import Glibc

/// Whether JACK's process thread has realtime scheduling.
public struct ThreadScheduling: Sendable, Hashable {
    /// Whether the server wants realtime scheduling for its clients.
    public let isServerRealtime: Bool
    /// Whether the thread has SCHED_FIFO or SCHED_RR.
    public let isRealtime: Bool
    /// The realtime priority, 1…99; 0 without realtime scheduling.
    public let priority: Int

    /// Reads the scheduling of `thread`, which must be running; nil: the thread is not known.
    init(thread: jack_native_thread_t?, isServerRealtime: Bool) {
        var policy: Int32 = -1
        var parameter = sched_param()
        if let thread, unsafe pthread_getschedparam(thread, &policy, &parameter) != 0 {
            policy = -1
        }
        self.isServerRealtime = isServerRealtime
        // Without the bit that the kernel sets when children do not inherit the policy.
        let plain = policy & ~Int32(0x4000_0000)
        isRealtime = policy >= 0 && (plain == SCHED_FIFO || plain == SCHED_RR)
        priority = isRealtime ? Int(parameter.sched_priority) : 0
    }
}
