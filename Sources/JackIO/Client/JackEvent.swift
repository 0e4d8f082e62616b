/// What happened to a client, as `JackClient.drainEvents` tells it.
public enum JackEvent: Sendable, Equatable {
    /// A cycle came too late, by about so many microseconds (0 when the server does not say).
    case xrun(microseconds: Int)
    /// The period is `frames` frames from now on.
    case period(frames: Int)
    /// The server's rate is another now, in Hz.
    case sampleRate(Int)
    /// The server runs faster than real time, or no longer does.
    case freewheel(Bool)
    /// The way from the microphone to the ear has changed.
    case latency(JackLatency)
    /// One of the client's ports was connected, by whomever; `isOurs`: the client asked for it.
    case connected(from: String, to: String, isOurs: Bool)
    /// One of the client's ports was disconnected, by whomever; `isOurs`: the client had asked for
    /// the connection.
    case disconnected(from: String, to: String, isOurs: Bool)
    /// Something did not work, and the sound goes on.
    case warning(JackWarning)
    /// The server is gone or has thrown the client out; only `close` remains. Told once.
    case shutdown(reason: String)
}
