/// Something about JACK that did not work although the sound goes on.
///
/// The cases carry the facts. `description` says them in one line, without advice: what a user can
/// do depends on the program.
public enum JackWarning: Sendable, Equatable, CustomStringConvertible {
    /// The groups of ports that a client connects on its own.
    public enum Side: Sendable, Hashable {
        /// The ports of a microphone, by its number, from 1.
        case microphone(Int)
        case outputs
    }

    /// The wanted client name is in use; the server gave the client another name.
    case nameTaken(wanted: String, given: String)
    /// The server calls the client on a thread without realtime scheduling.
    case noRealtimeScheduling
    /// No sound card can play, so the private server runs with the dummy driver.
    case noSoundCard
    /// No hardware port is there for this side. `candidates`: at most six ports of programs.
    case noPhysicalPort(Side, candidates: [String])
    /// No port matches `patterns`. `candidates`: at most six ports that could be named.
    case noMatch(Side, patterns: [String], candidates: [String])
    /// The client was connected to these ports before the server was lost, and they are not back
    /// with the server; each is connected when it appears.
    case portsNotBack([String])
    /// The server refused a request for a connection.
    case connectionRefused(JackWire)
    /// The server accepted a request for a connection, but did not make the connection.
    case connectionIgnored(JackWire)
    /// The server refused the connection: either `client`, which was in the server first, is not
    /// active yet, or the server refuses all such requests.
    case connectionRefusedOrInactive(JackWire, client: String)
    /// A lost server, or the client in it, could not be brought back so far; the tries go on.
    case serverNotBack(JackError)

    /// What happened, in one line.
    public var description: String {
        switch self {
        case .nameTaken(let wanted, let given):
            "the client name '\(wanted)' is taken; using '\(given)'"
        case .noRealtimeScheduling:
            "no realtime scheduling: expect dropouts"
        case .noSoundCard:
            "no sound card can play; JACK uses its dummy driver, without sound"
        case .noPhysicalPort(.outputs, _):
            "no pair of physical playback ports; connects when one appears"
        case .noPhysicalPort: "no physical microphone port; connects when one appears"
        case .noMatch(let side, let patterns, _):
            "no \(side == .outputs ? "playback" : "microphone") port matches "
                + "\(Self.quoted(patterns)); connects when one appears"
        case .portsNotBack(let ports):
            "\(Self.quoted(ports)) not found; connects when it appears"
        case .connectionRefused(let wire): "cannot connect \(Self.ends(wire)): \(Self.restriction)"
        case .connectionIgnored(let wire):
            "could not connect \(Self.ends(wire)): \(Self.restriction)"
        case .connectionRefusedOrInactive(let wire, let client):
            "cannot connect \(Self.ends(wire)): '\(client)' is not active yet (connects "
                + "when it is), or \(Self.restriction)"
        case .serverNotBack(let error): "the JACK server is not back yet: \(error)"
        }
    }

    private static let restriction =
        "the JACK server does not let clients connect themselves (jackd -a)"

    private static func ends(_ wire: JackWire) -> String { "\(wire.from) to \(wire.to)" }

    private static func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }
}
