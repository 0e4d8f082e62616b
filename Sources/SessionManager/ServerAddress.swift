import Glibc
import SystemSupport

/// The address where a session manager listens, as in NSM_URL: `osc.udp://HOST:PORT/`.
///
/// Only UDP and IPv4, which is what liblo supports as distributions build it, and so every NSM
/// server.
struct ServerAddress {
    let host: String
    let port: UInt16
    /// The address as text, safe to show.
    let text: String

    /// Nil when `url` is not of that form.
    init?(url: String) {
        let scheme = "osc.udp://"
        guard url.hasPrefix(scheme) else { return nil }
        var place = url.dropFirst(scheme.count)
        if place.last == "/" { place.removeLast() }
        guard let colon = place.lastIndex(of: ":") else { return nil }
        let digits = place[place.index(after: colon)...]
        let host = place[..<colon]
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits), port > 0,
            !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy({ Self.isHostCharacter($0) })
        else { return nil }
        self.host = String(host)
        self.port = port
        text = "\(host):\(port)"
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Looks up the host's name and returns the socket address; nil when there is no result before
    /// the time `end`, of `monotonicSeconds`.
    ///
    /// The resolver has no time limit, so names are looked up on a thread that can be left behind.
    func resolve(until end: Double) -> sockaddr_in? {
        var numeric = in_addr()
        if unsafe inet_pton(AF_INET, host, &numeric) == 1 { return socketAddress(numeric) }
        let left = min(max(0, end - monotonicSeconds()), 60)
        return BoundedCall.answer(milliseconds: Int((left * 1000).rounded(.up))) { [host] in
            Self.firstAddress(of: host)
        }.map { socketAddress(in_addr(s_addr: $0)) }
    }

    private func socketAddress(_ address: in_addr) -> sockaddr_in {
        var result = sockaddr_in()
        result.sin_family = sa_family_t(AF_INET)
        result.sin_port = port.bigEndian
        result.sin_addr = address
        return result
    }

    /// The first IPv4 address of `host`, in network byte order; nil when there is none. Blocks.
    private static func firstAddress(of host: String) -> in_addr_t? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_INET
        unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0, let first = unsafe list else {
            return nil
        }
        defer { unsafe freeaddrinfo(first) }
        return unsafe first.pointee.ai_addr?.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            unsafe $0.pointee.sin_addr.s_addr
        }
    }
}
