import Glibc
import SystemSupport

/// This program as a client of a session manager: NSM, the New Session Manager's API 1.1.
///
/// Belongs to one thread. It waits for `eventDescriptor` beside its other descriptors, and handles
/// the events of `nextEvent` one after the other: it opens or saves, then answers. A program whose
/// announcement was accepted opens its JACK client only after the first `open`, under the
/// `clientID` of that event.
public final class NSMClient {
    enum Project { case none, opening, open }

    /// The session manager; nil until it has accepted the announcement.
    public internal(set) var server: NSMServer?
    let address: ServerAddress
    var socket: ServerSocket?
    var capabilities: NSMCapabilities = []
    var isAnnounced = false
    var project = Project.none
    /// How many saves wait for their answers.
    var saves = 0
    /// Whether there are unsaved changes, as the session manager was told last.
    var isDirty = false
    private var isLost = false

    /// Nil when there is no session manager: NSM_URL is absent or empty.
    ///
    /// - Parameter value: returns the value of an environment variable.
    public convenience init?(environment value: (String) -> String? = environmentValue)
        throws(NSMError)
    {
        guard let url = value("NSM_URL"), !url.isEmpty else { return nil }
        try self.init(url: url)
    }

    /// - Parameter url: the session manager's address, such as `osc.udp://host:port/`.
    public init(url: String) throws(NSMError) {
        guard let address = ServerAddress(url: url) else {
            throw .badAddress(SafeText.clean(String(url.prefix(200))))
        }
        self.address = address
    }

    /// A descriptor that is readable, or has an error (poll(2)), while `nextEvent` has something to
    /// read; −1, which poll(2) skips, until this program was announced.
    public var eventDescriptor: Int32 { socket?.descriptor ?? -1 }

    /// Announces this program, and waits for the answer. May be called again after a failure.
    ///
    /// After the error `unanswered` the answer may still come, as an event: a session manager that
    /// is starting many programs may take some seconds.
    ///
    /// - Parameters:
    ///   - name: the name that the JACK client has without a session; without `/` and `:`.
    ///   - executable: the program's first argument, as it was started; without `:`.
    ///   - capabilities: the capabilities that the program really has.
    ///   - seconds: how long this call may take in all, at most.
    @discardableResult
    public func announce(
        name: String, executable: String, capabilities: NSMCapabilities, seconds: Double = 1
    ) throws(NSMError) -> NSMServer {
        if let server { return server }
        let end = monotonicSeconds() + seconds
        let socket = try openSocket(until: end)
        self.capabilities = capabilities
        isAnnounced = true
        isLost = false
        socket.send(
            OSCMessage(
                "/nsm/server/announce", .text(name), .text(capabilities.text), .text(executable),
                .number(1), .number(1), .number(getpid())
            ).datagram)
        repeat {
            switch nextEvent() {
            case .accepted(let server): return server
            case .refused(let code, let message): throw .refused(code: code, message: message)
            case .absent(let error): throw error
            default: break
            }
        } while monotonicSeconds() < end && waitForInput(socket.descriptor, until: end)
        throw .unanswered(address: address.text)
    }

    private func openSocket(until end: Double) throws(NSMError)
        -> ServerSocket
    {
        if let socket { return socket }
        guard let place = address.resolve(until: end) else {
            throw unreachable("its name could not be looked up")
        }
        do throws(SystemFailure) {
            let socket = try ServerSocket(server: place)
            self.socket = socket
            return socket
        } catch {
            throw unreachable(errorText(error.code))
        }
    }

    private func unreachable(_ reason: String) -> NSMError {
        .unreachable(address: address.text, reason: reason)
    }

    /// Returns the next event; nil when there is none. Never blocks.
    ///
    /// Messages behind an event are not read before the next call. So a `save` behind an `open` is
    /// returned only if the `open` was answered with success.
    public func nextEvent() -> NSMEvent? {
        guard let socket else { return nil }
        // At most 64 messages, so that a flood does not hold the caller; the rest wakes it again.
        for _ in 0..<64 {
            switch socket.receive() {
            case .nothing: return nil
            case .foreign: break
            case .undelivered(let code):
                if isLost { break }
                isLost = true
                return server == nil ? .absent(unreachable(errorText(code))) : .lost
            case .datagram(let bytes):
                isLost = false
                if let message = OSCMessage(datagram: bytes), let event = take(message) {
                    return event
                }
            }
        }
        return nil
    }
}
