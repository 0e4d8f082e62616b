import Glibc

/// The process's right to open files, taken away for a while.
public enum Descriptors {
    /// Runs `body` while no file can be opened in the whole process, or only `count` files.
    public static func exhausted<Value>(
        after count: Int = 0, _ body: () throws -> Value
    ) rethrows -> Value {
        // The lowest free ones are given first.
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
