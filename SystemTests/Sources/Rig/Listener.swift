import Foundation

/// A socket that listens on a port of 127.0.0.1.
public final class Listener: Sendable {
    public let descriptor: Int32
    public let port: Int

    /// Listens on `port`; on 0: on one that is free.
    public init(port: Int = 0) throws {
        ServerMark.leave()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // A server that comes back has its port at once.
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                    && listen(descriptor, 16) == 0
            }
        }
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: address.sin_port))
        guard code else { throw Tool.Failure(description: "no port: errno \(errno)") }
    }

    /// A port that no program listens on.
    public static func freePort() throws -> Int { try Listener().port }

    deinit { close(descriptor) }
}

extension sockaddr_in {
    public static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
