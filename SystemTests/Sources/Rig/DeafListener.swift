import Foundation

/// A port of 127.0.0.1 where a connection is neither accepted nor refused: its queue is full.
public final class DeafListener: Sendable {
    public let port: Int
    private let listener: Int32
    private let waiting: [Int32]

    public init() throws {
        ServerMark.leave()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isReady = false
        let waiting = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                isReady =
                    bind(listener, address, length) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &length) == 0
                return (0..<4).map { _ in
                    let client = socket(
                        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(client, address, length)
                    return client
                }
            }
        }
        self.listener = listener
        self.waiting = waiting
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isReady else { throw Tool.Failure(description: "no port: errno \(errno)") }
    }

    deinit { for descriptor in waiting + [listener] { close(descriptor) } }
}
