import Foundation

/// A session manager: the server side of the NSM API 1.1 for one client, whose messages it checks
/// strictly. Listens on this machine only.
public final class SessionServer: @unchecked Sendable {
    // Safety: `rules`, `received`, `client`, `fences` under `condition`; the rest never changes.

    /// How the server answers an announcement.
    public enum Answer: Sendable {
        case accept
        /// Accepts, and tells the client at once to open this project, as nsmd does.
        case open(path: String, displayName: String, clientID: String)
        case refuse(code: Int32, message: String)
        case ignore
    }

    public let port: Int
    /// The address at which clients reach the server.
    private let host: String
    private let socket: Socket
    private let threadEnded = DispatchSemaphore(value: 0)
    private let answer: Answer
    private let condition = NSCondition()
    private var rules = SessionRules()
    private var received: [OSCPacket] = []
    private var client: sockaddr_in?
    private var fences = 0

    /// - Parameters:
    ///   - address: the address of this machine to listen at.
    ///   - port: the port to listen at; 0, the default, is any free one.
    public init(_ answer: Answer = .accept, address: String = "127.0.0.1", port: Int = 0) throws {
        ServerMark.leave()
        self.answer = answer
        host = address == "0.0.0.0" ? "127.0.0.1" : address
        socket = Socket()
        var place = sockaddr_in.loopback(port: port)
        inet_pton(AF_INET, address, &place.sin_addr)
        let isReady = Self.withAddress(&place) { [socket] address, length in
            var length = length
            return bind(socket.descriptor, address, length) == 0
                && getsockname(socket.descriptor, address, &length) == 0
        }
        self.port = Int(UInt16(bigEndian: place.sin_port))
        guard isReady else { throw Tool.Failure(description: "no port: errno \(errno)") }
        Thread.detachNewThread { [weak self, socket, threadEnded] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                var sender = sockaddr_in()
                let count = Self.withAddress(&sender) { address, length in
                    var length = length
                    return recvfrom(socket.descriptor, &buffer, buffer.count, 0, address, &length)
                }
                guard count > 0 else { break }
                self?.take(Array(buffer.prefix(count)), from: sender)
            }
            threadEnded.signal()
        }
    }

    deinit { socket.wake() }

    /// Ends the server: the kernel refuses datagrams to it from now on. Must be the last call.
    public func end() {
        socket.wake()
        threadEnded.wait()
        socket.free()
    }

    /// The value for NSM_URL.
    public var url: String { url(host: host) }

    public func url(host: String) -> String { "osc.udp://\(host):\(port)/" }

    /// The client's violations of the API so far.
    public var violations: [String] {
        fence()
        return condition.withLock { rules.violations }
    }

    /// The paths of requests that the client has not answered so far.
    public var unanswered: [String] {
        fence()
        return condition.withLock { rules.pending }
    }

    /// Returns when the server has handled every datagram that was sent to it before: it sends
    /// itself a datagram, which comes after these.
    private func fence() {
        let before = condition.withLock { fences }
        var own = sockaddr_in.loopback(port: port)
        inet_pton(AF_INET, host, &own.sin_addr)
        _ = Self.withAddress(&own) { sendto(socket.descriptor, "fence", 5, 0, $0, $1) }
        condition.withLock { while fences == before { condition.wait() } }
    }

    /// Waits for the next message from the client, and returns it; nil when none comes within
    /// 10 s. Messages come in the order of their arrival.
    public func next() -> OSCPacket? {
        let limit = Date(timeIntervalSinceNow: 10)
        return condition.withLock {
            while received.isEmpty, condition.wait(until: limit) {}
            return received.isEmpty ? nil : received.removeFirst()
        }
    }

    /// Tells the client to open a project.
    public func open(path: String, displayName: String, clientID: String) {
        request(
            OSCPacket(
                "/nsm/client/open", .string(path), .string(displayName), .string(clientID)))
    }

    /// Tells the client to save.
    public func save() { request(OSCPacket("/nsm/client/save")) }

    /// Tells the client that all clients of the session are loaded.
    public func tellSessionIsLoaded() { send(OSCPacket("/nsm/client/session_is_loaded")) }

    /// Accepts an announcement; a test calls it for one that was ignored.
    public func accept() {
        condition.withLock { rules.accept() }
        send(
            OSCPacket(
                "/reply", .string("/nsm/server/announce"), .string("Welcome."),
                .string("Test Session Manager"), .string(":server-control:broadcast:optional-gui:"))
        )
    }

    /// Sends a request, which the client must answer.
    private func request(_ packet: OSCPacket) {
        condition.withLock { rules.ask(packet.path) }
        send(packet)
    }

    public func send(_ packet: OSCPacket) { send(packet.bytes) }

    /// Sends any bytes at all to the client that has announced itself.
    public func send(_ bytes: [UInt8]) {
        guard var client = condition.withLock({ client }) else { return }
        _ = Self.withAddress(&client) { sendto(socket.descriptor, bytes, bytes.count, 0, $0, $1) }
    }

    /// The port of the client's socket; nil before it has announced itself.
    public var clientPort: Int? {
        condition.withLock { client.map { Int(UInt16(bigEndian: $0.sin_port)) } }
    }

    private func take(_ bytes: [UInt8], from sender: sockaddr_in) {
        if Int(UInt16(bigEndian: sender.sin_port)) == port {
            condition.withLock {
                fences += 1
                condition.broadcast()
            }
            return
        }
        let packet: OSCPacket
        do throws(OSCPacket.Malformed) {
            packet = try OSCPacket(bytes: bytes)
        } catch {
            condition.withLock { rules.blame("no OSC message: \(error)") }
            return
        }
        let isAnnounce = packet.path == "/nsm/server/announce"
        condition.withLock {
            rules.judge(packet, port: sender.sin_port)
            if isAnnounce { client = sender }
        }
        if isAnnounce { answerAnnounce() }
        condition.withLock {
            received.append(packet)
            condition.broadcast()
        }
    }

    private func answerAnnounce() {
        switch answer {
        case .accept: accept()
        case .open(let path, let displayName, let clientID):
            accept()
            open(path: path, displayName: displayName, clientID: clientID)
        case .refuse(let code, let message):
            condition.withLock { rules.refuse() }
            send(
                OSCPacket("/error", .string("/nsm/server/announce"), .int(code), .string(message)))
        case .ignore: break
        }
    }

    /// A UDP socket. Its descriptor is not reused for another file while a thread may still use it.
    private final class Socket: Sendable {
        let descriptor = Glibc.socket(
            AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

        /// Ends a `recvfrom` that waits, and all later ones, with 0.
        func wake() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Gives the port back. The descriptor stays open, and refers to /dev/null.
        func free() {
            let nothing = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
            dup2(nothing, descriptor)
            close(nothing)
        }

        deinit { close(descriptor) }
    }

    private static func withAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
