/// Something that happened to a client, as `JackClient.drainEvents` returns it.
public enum JackEvent: Sendable, Equatable {
    /// A cycle came too late, by about `microseconds` (0 when the server does not say).
    case xrun(microseconds: Int)
    /// The period is `frames` frames from now on.
    case period(frames: Int)
    /// The server's sample rate has changed to this value in Hz.
    case sampleRate(Int)
    /// The server runs faster than real time, or no longer does.
    case freewheel(Bool)
    /// The latency from the microphone to the ear has changed.
    case latency(JackLatency)
    /// A port of the client was connected, by any program; `isOurs`: the client asked for it.
    case connected(from: String, to: String, isOurs: Bool)
    /// A port of the client was disconnected, by any program; `isOurs`: the client had asked for
    /// the connection.
    case disconnected(from: String, to: String, isOurs: Bool)
    /// A side that a warning said has no port to connect to has all its connections now.
    case sideConnected(JackWarning.Side)
    /// Something did not work, but the sound goes on.
    case warning(JackWarning)
    /// The server is gone or has thrown the client out; only `close` remains. Returned once.
    case shutdown(reason: String)
}
