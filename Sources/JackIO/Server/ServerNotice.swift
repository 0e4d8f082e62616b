/// Something to tell the user about the choice of the server, though nothing is wrong.
public enum ServerNotice: Sendable, Equatable, CustomStringConvertible {
    /// PipeWire runs and no JACK server: the program restarts itself with PipeWire's libjack.
    case runningAgainWithPipeWire
    /// No server ran, so a private one was started by `command`.
    case startedServer(command: String)

    /// The notice in one line.
    public var description: String {
        switch self {
        case .runningAgainWithPipeWire:
            "PipeWire is running; restarting with its JACK library"
        case .startedServer(let command): "no JACK server was running; started \(command)"
        }
    }
}
