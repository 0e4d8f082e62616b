import Foundation

/// A web server whose answers are made by a function: for faults that nginx cannot make.
public final class ScriptedServer: @unchecked Sendable {
    // Safety: `requests` and `connections` under `lock`; the rest never changes.

    /// One request, and the connection to answer it on.
    public final class Exchange {
        /// How many requests came before it.
        public let number: Int
        /// The request's head.
        public let head: String
        private let descriptor: Int32

        init(number: Int, head: String, descriptor: Int32) {
            self.number = number
            self.head = head
            self.descriptor = descriptor
        }

        /// The first byte that the request asks for; nil when it has no range.
        public var rangeStart: Int? {
            guard let range = head.range(of: "Range: bytes=") else { return nil }
            return Int(head[range.upperBound...].prefix { $0.isNumber })
        }

        public func send(_ text: String) { send(Array(text.utf8)) }

        /// Sends bytes. False when the client has closed the connection.
        @discardableResult
        public func send(_ bytes: [UInt8]) -> Bool {
            var done = 0
            while done < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(
                        descriptor, $0.baseAddress! + done, bytes.count - done,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }

        /// Makes the coming close of the connection a reset.
        public func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }

        /// Returns when the client's machine has received all sent bytes.
        public func waitUntilReceived() {
            var unsent: Int32 = 0
            // Only the count of unsent bytes tells, asm-generic/ioctls.h: TIOCOUTQ.
            while ioctl(descriptor, 0x5411, &unsent) == 0, unsent > 0 { usleep(200) }
        }

        /// Returns when the client has closed the connection.
        public func waitForClient() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }

        /// Returns when the client sends another request on the connection, or closes it.
        public func waitForRequest() {
            var byte: UInt8 = 0
            _ = recv(descriptor, &byte, 1, 0)
        }

        /// Reads the head of another request on the connection; false if the client closes it.
        public func waitForHead() -> Bool { ScriptedServer.head(from: descriptor) != nil }

        /// Ends the connection in good order, before the answering function returns.
        public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Carries bytes to and from a port of this machine until one side ends, as a proxy does
        /// after CONNECT.
        public func tunnel(to port: Int) {
            let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(other) }
            var address = sockaddr_in.loopback(port: port)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            var ends = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while code == 0, poll(&ends, 2, -1) > 0 {
                for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                    let count = recv(ends[from].fd, &bytes, bytes.count, 0)
                    guard count > 0,
                        Glibc.send(ends[to].fd, bytes, count, Int32(MSG_NOSIGNAL)) == count
                    else { return }
                }
            }
        }
    }

    public let port: Int
    private let listener: Listener
    private let lock = NSLock()
    private var heads: [String] = []
    private let answer: @Sendable (Exchange) -> Void

    /// Answers every request, each on a connection and a thread of its own, with `answer`. On `port`;
    /// on 0: on one that is free.
    public init(
        port: Int = 0, _ answer: @escaping @Sendable (Exchange) -> Void
    ) throws {
        listener = try Listener(port: port)
        self.port = listener.port
        self.answer = answer
        let (listener, serve) = (listener, { [weak self] in self?.serve($0) } as (Int32) -> Void?)
        let server = Unchecked(serve)
        Thread.detachNewThread {
            while true {
                let client = accept(listener.descriptor, nil, nil)
                guard client >= 0 else { return }
                let unchecked = server
                Thread.detachNewThread {
                    _ = unchecked.value(client)
                    close(client)
                }
            }
        }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    public func address(_ path: String = "song.mp3") -> String {
        "http://127.0.0.1:\(port)/\(path)"
    }

    /// The heads of the requests so far.
    public var requests: [String] { lock.withLock { heads } }

    private func serve(_ client: Int32) {
        guard let text = Self.head(from: client) else { return }
        let number = lock.withLock {
            heads.append(text)
            return heads.count - 1
        }
        answer(Exchange(number: number, head: text, descriptor: client))
    }

    /// The head of the next request on a connection; nil if the client closes it.
    private static func head(from client: Int32) -> String? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(client, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self)
    }

    private struct Unchecked: @unchecked Sendable {
        let value: (Int32) -> Void?
        init(_ value: @escaping (Int32) -> Void?) { self.value = value }
    }
}
