import Foundation

/// A client of a Unix socket, which sends and gets lines.
public final class LineClient: @unchecked Sendable {
    private let descriptor: Int32
    private var read: [UInt8] = []
    /// Bytes that the peer's side has taken.
    public private(set) var sentBytes = 0

    /// Connects to the socket at `path`.
    public init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            throw ChildProcess.Failure(description: "cannot connect to \(path): error \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// Sends `bytes`; those that a peer which is gone does not take are dropped.
    public func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sentBytes += count
            rest = rest.dropFirst(count)
        }
    }

    public func send(_ text: String) { send(Array(text.utf8)) }

    /// The next line, without its end; nil when the peer has closed. Waits at most 30 s.
    public func line() throws -> String? {
        while true {
            if let end = read.firstIndex(of: 0x0A) {
                defer { read.removeFirst(end + 1) }
                return String(decoding: read[..<end], as: UTF8.self)
            }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 30_000) > 0 else {
                throw ChildProcess.Failure(description: "no line came")
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            read += bytes[..<count]
        }
    }

    /// Sends a line, and returns its answer.
    public func ask(_ text: String) throws -> String {
        send(text + "\n")
        return try line() ?? "closed"
    }
}
