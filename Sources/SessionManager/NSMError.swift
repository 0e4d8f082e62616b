/// Why this program is under no session management: what was tried, and what came back.
public enum NSMError: Error, Equatable, CustomStringConvertible {
    /// NSM_URL is no address of a session manager that we could speak to.
    case badAddress(String)
    /// Nobody can be reached there; `reason` is in the system's words.
    case unreachable(address: String, reason: String)
    /// Nobody has answered so far. The answer, should it come, is an event.
    case unanswered(address: String)
    /// The session manager does not want us. `code` as in the protocol; `message` is its own.
    case refused(code: Int, message: String)

    /// In one line, safe to show.
    public var description: String {
        switch self {
        case .badAddress(let text):
            "NSM_URL “\(text)” is no address like osc.udp://HOST:PORT/; the session is not joined"
        case .unreachable(let address, let reason):
            "no session manager at \(address): \(reason); the session is not joined"
        case .unanswered(let address):
            "the session manager at \(address) does not answer"
        case .refused(let code, let message):
            "the session manager refused us: \(message) (\(code)); the session is not joined"
        }
    }
}
