import JackIO

/// What a report is about, where a later one may take it back: the screen shows the newest alone.
enum Topic: Sendable, Hashable {
    /// Whether there is a JACK server, and whether it makes cycles.
    case server
    /// Whether the bytes of a bus's song come.
    case network(bus: Int)
    /// The song of a bus that is heard.
    case song(bus: Int)
    /// Whether the voice of a bus's song can be told from the band.
    case vocals(bus: Int)
    /// Whether a bus's microphone is turned down since it howls.
    case feedback(bus: Int)
    /// Whether a bus's microphone gives sound.
    case microphone(bus: Int)
    /// Whether there are ports to connect to.
    case ports(JackWarning.Side)
    case wire(JackWire)
    /// Whether JACK has realtime scheduling.
    case realtime
    /// How far words are that are fetched.
    case words
    /// The take that is recorded, or the last one.
    case take
    /// Whether the session can be saved.
    case saving
    /// Lines of the user's files that are ignored.
    case configuration

    /// Whether users want to know at once, since they hear it or asked for it.
    var isUrgent: Bool {
        switch self {
        case .server, .feedback, .take: true
        default: false
        }
    }
}
