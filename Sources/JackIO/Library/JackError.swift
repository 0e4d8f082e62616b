import AudioGraph
import CJack
import SystemSupport

/// Why there is no JACK client: what was tried and what came back.
///
/// The texts give no advice, because what a user can do depends on the program.
public enum JackError: Error, Equatable, CustomStringConvertible {
    /// No server of that name answers, and the caller did not allow starting one.
    case noServer(name: String)
    /// A server of that name runs, and does not answer.
    case serverSilent(name: String)
    /// The caller cancelled the wait for the server.
    case stopped
    /// The server answers, but refuses a client of that name. `status` as in jack/types.h.
    case refused(client: String, server: String, status: UInt32)
    /// The server refused to make a port.
    case portRefused(port: String)
    /// The client cannot render this graph: another driver does, or rate or channels do not fit.
    case graph(GraphError)
    /// The client was activated before.
    case alreadyActive(client: String)
    /// The client was closed before.
    case closed(client: String)
    /// `jack_activate` failed, or a step before it.
    case activationFailed(step: String, code: Int)
    /// The server died, or threw the client out; `reason` is a sentence.
    case serverLost(reason: String)
    /// The server was lost, and no server of that name came back within `seconds`.
    case noServerCameBack(name: String, seconds: Double)
    /// PipeWire is installed, but its libjack is not.
    case pipeWireLibraryMissing
    /// PipeWire and its libjack are installed, but PipeWire is not running.
    case pipeWireNotRunning
    /// This process could not be run again with PipeWire's libjack. `code` is an errno.
    case pipeWireRestartFailed(code: Int32)
    /// Neither `jackd` nor PipeWire is installed.
    case jackdMissing
    /// The private server ended, or never answered. `command` was run, `log` is its output;
    /// `obstacle` is nil where the output does not tell it.
    case privateServerFailed(
        command: String, reason: String, obstacle: ServerObstacle? = nil, log: String)
    /// The system has no descriptor, process or thread left. `code` is an errno.
    case system(attempt: String, code: Int32)

    /// What kept a private server from starting.
    public enum ServerObstacle: Sendable, Equatable {
        /// Other servers: one of its name, or as many as libjack allows.
        case otherServers
        /// A program that has the sound card.
        case cardInUse
    }

    /// What was tried and what came back, in one line.
    public var description: String {
        switch self {
        case .noServer(let name): "no JACK server '\(name)' is running"
        case .serverSilent(let name): "the JACK server '\(name)' is not responding"
        case .stopped: "stopped while waiting for the JACK server"
        case .refused(let client, let server, let status):
            "the JACK server '\(server)' refused the client '\(client)': \(Self.words(status))"
        case .portRefused(let port): "the JACK server refused to create the port '\(port)'"
        case .graph(let error): "\(error)"
        case .alreadyActive(let client): "the JACK client '\(client)' is active already"
        case .closed(let client): "the JACK client '\(client)' is closed: open another"
        case .activationFailed(let step, let code):
            "cannot start the JACK client: \(step) returned \(code)"
        case .serverLost(let reason): reason
        case .noServerCameBack(let name, let seconds):
            "the JACK server '\(name)' did not come back within \(Int(nearest: seconds.rounded(.up))) s"
        case .pipeWireLibraryMissing: "PipeWire's JACK library is not installed"
        case .pipeWireNotRunning: "PipeWire is not running"
        case .pipeWireRestartFailed(let code):
            "cannot restart with PipeWire's JACK library: \(errorText(code))"
        case .jackdMissing: "no JACK server is running, and jackd is not installed"
        case .privateServerFailed(let command, let reason, _, let log):
            "'\(command)' \(reason); its output is in \(log)"
        case .system(let attempt, let code): "\(attempt) failed: \(errorText(code))"
        }
    }

    private static func words(_ status: UInt32) -> String {
        let bits: [(JackStatus, String)] = [
            (JackNameNotUnique, "the name is taken"), (JackServerError, "it is not responding"),
            (JackShmFailure, "no shared memory"), (JackVersionError, "other protocol version"),
            (JackInvalidOption, "invalid option"), (JackInitFailure, "initialisation failed"),
            (JackBackendError, "backend error"), (JackClientZombie, "thrown out"),
        ]
        let told = bits.filter { status & $0.0.rawValue != 0 }.map(\.1)
        return told.isEmpty
            ? "status 0x\(String(status, radix: 16))" : told.joined(separator: ", ")
    }
}
