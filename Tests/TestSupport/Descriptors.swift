import Glibc

/// The process's right to open files, taken away for a while.
public enum Descriptors {
    /// Runs `body` while no file can be opened in the whole process.
    public static func exhausted<Value>(_ body: () throws -> Value) rethrows -> Value {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var none = limit
        none.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        return try body()
    }
}
