import CJack
import Glibc
import Synchronization

/// Work on a thread of its own that is waited for only so long.
///
/// libjack may wait for a server that is stopped or dead without any limit of its own; its thread
/// is then left behind.
enum BoundedCall {
    private final class Job: Sendable {
        let work: @Sendable () -> Void
        let isDone = Atomic<Bool>(false)
        let descriptor: Int32

        init(descriptor: Int32, work: @escaping @Sendable () -> Void) {
            self.descriptor = descriptor
            self.work = work
        }

        deinit { close(descriptor) }
    }

    /// Runs `work` and waits up to `milliseconds`. False: it has not ended, and may still go on.
    /// Where no thread can be made it runs on the caller's.
    static func run(milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else {
            work()
            return true
        }
        let job = Job(descriptor: descriptor, work: work)
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(job).toOpaque()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let job = unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue()
                job.work()
                job.isDone.store(true, ordering: .releasing)
                var one: UInt64 = 1
                _ = unsafe write(job.descriptor, &one, MemoryLayout<UInt64>.size)
                return nil
            }, argument)
        guard code == 0 else {
            unsafe Unmanaged<Job>.fromOpaque(argument).release()
            work()
            return true
        }
        pthread_detach(thread)
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while !job.isDone.load(ordering: .acquiring) {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, Int32(left.rounded(.up)))
        }
        return true
    }
}
