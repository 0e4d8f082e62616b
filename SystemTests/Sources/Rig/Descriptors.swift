import Glibc

/// Takes away, for a while, the ability of this process to open files.
public enum Descriptors {
    /// Runs `body` while no file can be opened in the whole process, or only `count` files.
    public static func exhausted<Value>(
        after count: Int = 0, _ body: () throws -> Value
    ) rethrows -> Value {
        // The system gives the lowest free descriptors first, so these are the next ones.
        let free = (0..<count).map { _ in open("/dev/null", O_RDONLY) }
        for descriptor in free { close(descriptor) }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var none = limit
        none.rlim_cur = rlim_t((free.max() ?? -1) + 1)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        return try body()
    }
}
