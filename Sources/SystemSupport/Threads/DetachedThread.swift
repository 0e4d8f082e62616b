import Glibc

/// The signals that report a fault of this program, such as a bad memory access.
package let faultSignals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

/// Starts threads that nobody joins, with a small stack and all signals blocked but `faultSignals`.
package enum DetachedThread {
    /// What a thread needs of its stack.
    package enum Stack: Sendable {
        /// 512 KiB, for code of this program.
        case small
        /// 1 MiB, for a library that reads other people's bytes. Behind it is 1 MiB without access, so that
        /// a variable of a size that a file names ends in a fault and not in other memory; what checks the
        /// file keeps it below that (docs/decisions/libraries-and-their-stack.md).
        case libraries

        fileprivate var size: Int {
            #if DUET_TSAN
            // ThreadSanitizer makes every stack frame larger.
            8 << 20
            #else
            self == .small ? 512 << 10 : 1 << 20
            #endif
        }

        /// Bytes without access behind it; nil: a page, as the system has it.
        fileprivate var guardSize: Int? { self == .small ? nil : 1 << 20 }
    }

    /// Leaves this thread the processor and the disk only as far as other threads of the program do not want
    /// them (nice 19), for good.
    package static func stepBack() {
        // Linux counts the priority of each thread apart, whatever POSIX says.
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread. Not realtime-safe.
    ///
    /// - Parameter name: the thread's name in `top -H` and debuggers, at most 15 bytes.
    /// - Returns: 0, or the errno when no thread could be made.
    package static func start(
        _ name: String, stack: Stack = .small, _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stack.size)
        if let size = stack.guardSize { unsafe pthread_attr_setguardsize(&attributes, size) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The new thread inherits the mask: signals go to the threads that expect them, and a
        // broken pipe is an error code on this one.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // A fault on the new thread has to reach the handler of its signal.
        for number in faultSignals { unsafe sigdelset(&all, number) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let work = unsafe Unmanaged.passRetained(Work(name: name, body: body)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                if let context = unsafe context {
                    let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                    nameThread(work.name)
                    work.body()
                }
                return nil
            }, work)
        if code != 0 { unsafe Unmanaged<Work>.fromOpaque(work).release() }
        return code
    }
}

private func nameThread(_ name: String) {
    // pthread_setname_np is a GNU extension, which Swift's Glibc does not show.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    unsafe write(file, name, name.utf8.count)
    close(file)
}
