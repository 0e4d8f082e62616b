import CCurl
import Glibc
import SystemSupport

/// The connections that libcurl keeps open after a transfer, and the names that it has looked up: a
/// multi handle. One transfer at a time uses them, and leaves them to the next one of this process, of
/// whichever song. For one thread at a time.
@safe final class Connections: @unchecked Sendable {
    // Safety: used by the thread that has taken them alone; nobody uses those in `idle`.

    /// How many handles are kept for the next transfers at most.
    static let idleLimit = 4
    /// Connections that one handle keeps at most: to a song's server, and to those that redirected there.
    private static let limit = 4
    /// Seconds for which a connection may be idle and still be used.
    static let patience = 60

    let multi: UnsafeMutableRawPointer
    /// The sockets of all its connections.
    private var sockets: [Int32] = []
    /// Since when they are idle.
    private var idleTime = 0.0

    /// Nil where libcurl has no memory for it.
    private init?() {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.limit)
    }

    deinit { unsafe curl_multi_cleanup(multi) }

    /// Makes `easy`, which is not in a transfer, use these connections until it is removed.
    func add(_ easy: UnsafeMutableRawPointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_sockets(
            easy, context,
            { context, socket, _ in
                guard let context = unsafe context else { return CURL_SOCKOPT_ERROR }
                let owner = unsafe Unmanaged<Connections>.fromOpaque(context)
                unsafe owner.takeUnretainedValue().sockets.append(socket)
                return CURL_SOCKOPT_OK
            },
            { context, socket in
                if let context = unsafe context {
                    let owner = unsafe Unmanaged<Connections>.fromOpaque(context)
                    unsafe owner.takeUnretainedValue().sockets.removeAll { $0 == socket }
                }
                return close(socket)
            })
        unsafe curl_multi_add_handle(multi, easy)
    }

    /// Ends the transfer of `easy`. libcurl closes a connection on which more of the answer would come.
    func remove(_ easy: UnsafeMutableRawPointer) {
        unsafe curl_multi_remove_handle(multi, easy)
    }

    /// Whether nothing has come on any of them since they were left. Bytes behind the length that a
    /// server announced, for one: libcurl would take them for the next answer.
    private var areQuiet: Bool { !waitForInput(sockets, milliseconds: 0) }

    // MARK: Idle ones

    /// Those that are idle for the longest time first.
    private static let idle = Guarded<[Connections]>([])

    /// The ones that were left last, or new ones; nil where libcurl has no memory for them.
    static func take() -> Connections? {
        dropOld()
        while let last = idle.withLock({ $0.popLast() }) {
            if last.areQuiet { return last }
        }
        return Connections()
    }

    /// Leaves them, in which no transfer is left, to the next one.
    func leave() {
        idleTime = monotonicSeconds()
        Self.idle.withLock { $0.append(self) }
        Self.dropOld()
    }

    /// Closes those that are too many, or idle for too long.
    private static func dropOld() {
        let oldest = monotonicSeconds() - Double(patience)
        // They are closed without the lock.
        _ = idle.withLock { idle in
            let count = max(
                idle.count - idleLimit, idle.prefix { $0.idleTime < oldest }.count)
            defer { idle.removeFirst(count) }
            return Array(idle.prefix(count))
        }
    }
}
