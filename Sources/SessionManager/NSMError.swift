/// Why this program has no session manager: what was tried, and what came back.
public enum NSMError: Error, Equatable, CustomStringConvertible {
    /// NSM_URL is not the address of a session manager that could be used.
    case badAddress(String)
    /// No program can be reached at that address; `reason` is in the system's words.
    case unreachable(address: String, reason: String)
    /// No answer has come so far. A later answer is an event.
    case unanswered(address: String)
    /// The session manager refused the announcement. `code` as in the protocol; `message` is the
    /// session manager's.
    case refused(code: Int, message: String)

    /// In one line, safe to show.
    public var description: String {
        switch self {
        case .badAddress(let text):
            "NSM_URL '\(text)' is not an address like osc.udp://HOST:PORT/; the session is not joined"
        case .unreachable(let address, let reason):
            "no session manager at \(address): \(reason); the session is not joined"
        case .unanswered(let address):
            "the session manager at \(address) is not responding"
        case .refused(let code, let message):
            "the session manager refused us: \(message) (\(code)); the session is not joined"
        }
    }
}
