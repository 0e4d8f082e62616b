import CLiblo
import Glibc

/// A UDP socket that speaks with one session manager, and hears nobody else.
///
/// Not liblo's own (`lo_server`): that listens on every interface, takes what anybody sends, and
/// looks for a port by the time of day.
final class ServerSocket {
    enum Arrival {
        case nothing
        /// Somebody else's datagram, dropped.
        case foreign
        /// What was sent to the server has found nobody.
        case refused
        case datagram([UInt8])
    }

    let descriptor: Int32
    private let server: sockaddr_in
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Opens a socket at the address that reaches the server: at 127.0.0.1 it is reachable from
    /// this machine alone. Throws the errno.
    init(server: sockaddr_in) throws(SystemFailure) {
        self.server = server
        let descriptor = datagramSocket()
        guard descriptor >= 0 else { throw SystemFailure() }
        self.descriptor = descriptor
        guard var own = Self.ownAddress(towards: server),
            unsafe withSocketAddress(&own, { unsafe bind(descriptor, $0, $1) }) == 0,
            cliblo_report_refusals(descriptor) != 0
        else {
            let failure = SystemFailure()
            close(descriptor)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// Which of this machine's addresses the server would see us under, with any port.
    private static func ownAddress(towards server: sockaddr_in) -> sockaddr_in? {
        let probe = datagramSocket()
        guard probe >= 0 else { return nil }
        defer { close(probe) }
        var server = server
        var own = sockaddr_in()
        // Of UDP this sends nothing: it chooses a route.
        guard unsafe withSocketAddress(&server, { unsafe connect(probe, $0, $1) }) == 0,
            unsafe withSocketAddress(
                &own,
                { address, length in
                    var length = length
                    return unsafe getsockname(probe, address, &length)
                }) == 0
        else { return nil }
        own.sin_port = 0
        return own
    }

    /// Sends a datagram, or loses it, as UDP may.
    func send(_ bytes: [UInt8]) {
        var server = server
        // An earlier datagram's refusal is told in place of sending this one.
        for _ in 0..<2 {
            let sent = unsafe withSocketAddress(&server) { address, length in
                unsafe sendto(descriptor, bytes, bytes.count, 0, address, length)
            }
            if sent >= 0 || errno != ECONNREFUSED { return }
        }
    }

    /// The next thing that has happened. Never blocks.
    func receive() -> Arrival {
        var sender = sockaddr_in()
        let count = unsafe withSocketAddress(&sender) { address, length in
            var length = length
            return unsafe recvfrom(descriptor, &buffer, buffer.count, 0, address, &length)
        }
        guard count >= 0 else {
            let isRefusal = errno == ECONNREFUSED
            // Until they are taken away, poll(2) goes on telling of them.
            var reports = 0
            while reports < 64, cliblo_take_refusal(descriptor) != 0 { reports += 1 }
            return isRefusal || reports > 0 ? .refused : .nothing
        }
        return isServer(sender) ? .datagram(Array(buffer.prefix(count))) : .foreign
    }

    /// Whether a datagram comes from the server's port. Of the loopback's many addresses it may use
    /// another than it was sent to (Debian gives a host's own name 127.0.1.1, and what is sent
    /// there is answered from 127.0.0.1), so all of them count: only this machine's programs can
    /// send from those.
    private func isServer(_ sender: sockaddr_in) -> Bool {
        sender.sin_port == server.sin_port
            && (sender.sin_addr.s_addr == server.sin_addr.s_addr
                || isLoopback(sender) && isLoopback(server))
    }

    private func isLoopback(_ address: sockaddr_in) -> Bool {
        UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127
    }
}

/// A system call that failed, by its errno.
struct SystemFailure: Error {
    let code = errno
}

/// A new UDP socket that never blocks; negative when there is none left.
private func datagramSocket() -> Int32 {
    let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    return socket(AF_INET, Int32(type), 0)
}

private func withSocketAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
