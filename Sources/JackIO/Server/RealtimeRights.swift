import CJack
import Glibc
import Synchronization

/// What this user may ask of the kernel.
public enum RealtimeRights {
    /// Whether a thread may be given SCHED_FIFO: tried on one made for it.
    public static var allowsScheduling: Bool {
        final class Answer: Sendable { let value = Atomic<Bool>(false) }
        let answer = Answer()
        let ended = BoundedCall.run(milliseconds: 1000) {
            var parameter = sched_param()
            // What jackd asks for by default.
            parameter.sched_priority = 10
            let code = unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter)
            answer.value.store(code == 0, ordering: .relaxed)
        }
        return ended && answer.value.load(ordering: .relaxed)
    }

    /// How many bytes may be kept from being swapped out; nil without limit.
    public static var lockedMemoryLimit: Int? {
        let limit = cjack_locked_memory_limit()
        return limit == .max ? nil : Int(clamping: limit)
    }
}
