import Glibc

/// A thread that nobody joins.
enum DetachedThread {
    private final class Job: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    /// Runs `work` on a new thread; the errno when there is none left.
    static func start(_ work: @escaping @Sendable () -> Void) -> Int32 {
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(Job(work)).toOpaque()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, argument)
        if code == 0 {
            pthread_detach(thread)
        } else {
            unsafe Unmanaged<Job>.fromOpaque(argument).release()
        }
        return code
    }
}
