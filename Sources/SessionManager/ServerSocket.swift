import CLiblo
import Glibc

/// A UDP socket that sends to one session manager, and receives from that session manager alone.
///
/// liblo's own socket (`lo_server`) is not used: it listens on every interface, accepts datagrams
/// from any program, and chooses its port by the time of day.
final class ServerSocket {
    enum Arrival {
        case nothing
        /// A datagram that did not come from the session manager; dropped.
        case foreign
        /// An earlier datagram could not be delivered to the session manager; the errno.
        case undelivered(Int32)
        case datagram([UInt8])
    }

    let descriptor: Int32
    private let server: sockaddr_in
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Opens a socket, bound to this machine's address on the way to the server. For a server on
    /// this machine that is a loopback address, which no other machine can reach. Throws the errno.
    init(server: sockaddr_in) throws(SystemFailure) {
        self.server = server
        let descriptor = datagramSocket()
        guard descriptor >= 0 else { throw SystemFailure() }
        self.descriptor = descriptor
        guard var own = Self.ownAddress(towards: server),
            unsafe withSocketAddress(&own, { unsafe bind(descriptor, $0, $1) }) == 0,
            cliblo_ask_for_reports(descriptor) != 0
        else {
            let failure = SystemFailure()
            close(descriptor)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// The address of this machine from which datagrams to the server are sent; the port is left 0.
    private static func ownAddress(towards server: sockaddr_in) -> sockaddr_in? {
        let probe = datagramSocket()
        guard probe >= 0 else { return nil }
        defer { close(probe) }
        var server = server
        var own = sockaddr_in()
        // On a UDP socket connect(2) sends nothing: it only chooses the route.
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
        // sendto(2) may report what became of an earlier datagram instead of sending: then again.
        for _ in 0..<2 {
            let sent = unsafe withSocketAddress(&server) { address, length in
                unsafe sendto(descriptor, bytes, bytes.count, 0, address, length)
            }
            if sent >= 0 || errno == EAGAIN { return }
        }
    }

    /// Returns the next datagram, or report of one that was not delivered, if any. Never blocks.
    func receive() -> Arrival {
        var sender = sockaddr_in()
        let count = unsafe withSocketAddress(&sender) { address, length in
            var length = length
            return unsafe recvfrom(descriptor, &buffer, buffer.count, 0, address, &length)
        }
        guard count >= 0 else {
            // Without a report where the kernel had no memory for one.
            var code = errno == ECONNREFUSED ? ECONNREFUSED : 0
            // poll(2) reports an error for as long as reports are queued, so all are removed.
            var reports = 0
            while reports < 64, case let reported = cliblo_take_report(descriptor), reported != 0 {
                code = reported
                reports += 1
            }
            return code == 0 ? .nothing : .undelivered(code)
        }
        return isServer(sender) ? .datagram(Array(buffer.prefix(count))) : .foreign
    }

    /// Whether a datagram comes from the server's port and address. For a server on the loopback
    /// any loopback address is accepted, since only programs of this machine can send from there:
    /// Debian gives a host's own name 127.0.1.1, and answers from there come from 127.0.0.1.
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

/// A new non-blocking UDP socket; negative when the process has no descriptor left.
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
