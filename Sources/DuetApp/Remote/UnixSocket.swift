import AudioMedia
import Glibc

/// Sockets at a place in the file system, by which programs of one machine reach each other.
enum UnixSocket {
    /// sys/un.h: 108 bytes with the final zero.
    static let longestPath = 107

    /// A new socket; negative: the process has no descriptor left.
    ///
    /// - Parameter flags: `SOCK_NONBLOCK`, or 0.
    static func make(_ flags: UInt32 = 0) -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | flags), 0)
    }

    /// Connects `descriptor` to the socket at `path`, which has `longestPath` bytes at most. Returns 0,
    /// or an errno.
    static func connect(_ descriptor: Int32, to path: FileName) -> Int32 {
        call(path) { Glibc.connect(descriptor, $0, $1) }
    }

    /// Has `descriptor` be the socket at `path`. Returns 0, or an errno.
    static func bind(_ descriptor: Int32, to path: FileName) -> Int32 {
        call(path) { Glibc.bind(descriptor, $0, $1) }
    }

    private static func call(
        _ path: FileName, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: path.bytes.prefix(longestPath))
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }

    /// Whether the program at the other end of a connection is this user's.
    static func isOwn(_ descriptor: Int32) -> Bool {
        // unix(7): struct ucred, of three 32-bit numbers.
        var peer: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
            && peer.user == geteuid()
    }
}
