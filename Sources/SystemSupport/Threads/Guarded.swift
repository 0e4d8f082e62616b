import Glibc

/// A value that one thread at a time uses, for as long as it holds the lock. Any thread but the
/// realtime ones. In place of the standard library's Mutex, whose way in ThreadSanitizer cannot see,
/// so that it reports races where there are none.
@safe public struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety: what `value` points to is used by the thread that holds the lock alone; the lock's
    // own calls may come from any thread.

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    public init(_ value: consuming sending Value) {
        unsafe lock = makeMutex()
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Waits for the lock, and uses the value. `body` must not use this value again by itself.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }

    /// Uses the value if no other thread does; nil when one does.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}

/// A new mutex of that kind, for who frees it.
package func makeMutex(
    _ kind: some BinaryInteger = PTHREAD_MUTEX_DEFAULT
) -> UnsafeMutablePointer<pthread_mutex_t> {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, Int32(kind))
    // A realtime thread that waits lends its priority to the thread that it waits for.
    unsafe pthread_mutexattr_setprotocol(&attributes, Int32(PTHREAD_PRIO_INHERIT))
    unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
    return unsafe mutex
}
