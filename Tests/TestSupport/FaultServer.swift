import Foundation

/// A web server whose every connection follows a script: data, not code, so that a table of faults
/// can be read. For what is decided on the way there is `ScriptedServer`, which it stands on.
public final class FaultServer: Sendable {
    /// One thing that is done on a connection; after the last one it is closed.
    public enum Step: Sendable {
        /// A status line (`HTTP/1.1 200 OK`), headers, and the empty line after them.
        case head(String, [String])
        /// Bytes as they are.
        case bytes([UInt8])
        /// Bytes in pieces of `piece`, with a pause after each.
        case drip([UInt8], piece: Int, milliseconds: Int)
        /// The same bytes again and again, until the client goes.
        case endless([UInt8])
        case pause(milliseconds: Int)
        /// Until the gate is open.
        case gate(Gate)
        /// Nothing more, until the client goes.
        case stall
        /// All that was sent arrives, and then the connection is reset.
        case reset
    }

    /// What a script is chosen by.
    public struct Request: Sendable {
        /// How many requests came before it.
        public let number: Int
        /// Its head.
        public let head: String
        /// The first byte that it asks for; nil when it has no range.
        public let rangeStart: Int?

        /// A header's value; nil when it has none.
        public func header(_ name: String) -> String? {
            let prefix = name.lowercased() + ":"
            return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
                .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Holds every script that comes to it until a test opens it for good.
    public final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        public init() {}
        public func open() { semaphore.signal() }
        fileprivate func pass() {
            semaphore.wait()
            semaphore.signal()
        }
    }

    private let server: ScriptedServer
    private let closed: Closed

    /// Answers every request, each on a connection of its own, as `script` says.
    public init(_ script: @escaping @Sendable (Request) -> [Step]) throws {
        let closed = Closed()
        self.closed = closed
        server = try ScriptedServer { exchange in
            defer { closed.add() }
            let request = Request(
                number: exchange.number, head: exchange.head, rangeStart: exchange.rangeStart)
            for step in script(request) {
                guard step.isDone(on: exchange) else { return }
            }
        }
    }

    /// The address of the song, or of another path.
    public func address(_ path: String = "song.mp3") -> String { server.address(path) }

    /// The heads of the requests so far.
    public var requests: [String] { server.requests }

    /// Waits until `count` connections in all are over; false when they are not within 20 s.
    public func waitUntilClosed(_ count: Int) -> Bool { closed.wait(count) }

    private final class Closed: @unchecked Sendable {
        // Safety: all state under `condition`.
        private let condition = NSCondition()
        private var count = 0

        func add() {
            condition.lock()
            count += 1
            condition.broadcast()
            condition.unlock()
        }

        func wait(_ wanted: Int) -> Bool {
            condition.lock()
            defer { condition.unlock() }
            let deadline = Date(timeIntervalSinceNow: 20)
            while count < wanted { guard condition.wait(until: deadline) else { return false } }
            return true
        }
    }
}

extension FaultServer.Step {
    /// False when the client has gone.
    fileprivate func isDone(on exchange: ScriptedServer.Exchange) -> Bool {
        switch self {
        case .head(let status, let headers):
            let lines = headers.map { $0 + "\r\n" }.joined()
            return exchange.send(Array("\(status)\r\n\(lines)\r\n".utf8))
        case .bytes(let bytes): return exchange.send(bytes)
        case .drip(let bytes, let piece, let milliseconds):
            for start in stride(from: 0, to: bytes.count, by: piece) {
                let end = min(start + piece, bytes.count)
                guard exchange.send(Array(bytes[start..<end])) else { return false }
                usleep(UInt32(milliseconds) * 1000)
            }
        case .endless(let bytes): while exchange.send(bytes) {}
        case .pause(let milliseconds): usleep(UInt32(milliseconds) * 1000)
        case .gate(let gate): gate.pass()
        case .stall: exchange.waitForClient()
        case .reset:
            exchange.waitUntilReceived()
            exchange.reset()
        }
        return true
    }
}
