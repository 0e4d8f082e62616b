import Foundation

/// A web server that answers every connection by a script. A script is data, not code, so that a
/// table of faults can be read. Answers that need code use `ScriptedServer`, on which it is built.
public final class FaultServer: Sendable {
    /// One step of a script; after the last step the connection is closed.
    public enum Step: Sendable {
        /// Sends a status line (`HTTP/1.1 200 OK`), headers, and the empty line after them.
        case head(String, [String])
        /// Sends bytes unchanged.
        case bytes([UInt8])
        /// Sends bytes in pieces of `piece`, with a pause after each.
        case drip([UInt8], piece: Int, milliseconds: Int)
        /// Sends the same bytes again and again, until the client closes.
        case endless([UInt8])
        case pause(milliseconds: Int)
        /// Waits until the gate is open.
        case gate(Gate)
        /// Sends nothing more, and waits until the client closes.
        case stall
        /// Waits until all sent bytes have arrived, and then resets the connection.
        case reset
    }

    /// A request, by which a script is chosen.
    public struct Request: Sendable {
        /// How many requests came before it.
        public let number: Int
        /// The request's head.
        public let head: String
        /// The first byte that the request asks for; nil when it has no range.
        public let rangeStart: Int?

        /// The value of a header; nil when the request does not have it.
        public func header(_ name: String) -> String? {
            let prefix = name.lowercased() + ":"
            return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
                .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Stops every script that reaches it until a test opens the gate for good.
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

    /// Answers every request, each on a connection of its own, as `script` says.
    public init(_ script: @escaping @Sendable (Request) -> [Step]) throws {
        server = try ScriptedServer { exchange in
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
}

extension FaultServer.Step {
    /// Carries out the step. False when the client has closed the connection.
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
