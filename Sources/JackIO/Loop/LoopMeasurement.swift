/// What a `LoopProbe` found.
public struct LoopMeasurement: Sendable, Hashable {
    /// What was played to; empty when no such port was there or the server refused it.
    public var outputs: [String]
    /// What was listened to; nil as above.
    public var microphone: String?
    /// What the server did not connect, of both.
    public var refused: [String]
    /// Whether all of these are hardware: only then the way leads through converters.
    public var isPhysical: Bool
    /// What JACK says of the same way.
    public var reported: JackLatency
    /// Frames of a cycle.
    public var period: Int
    /// Frames from the output to the microphone, at least and at most; nil: nothing came back.
    public var roundTrip: LatencyRange?

    public init(
        outputs: [String], microphone: String?, refused: [String], isPhysical: Bool,
        reported: JackLatency, period: Int, roundTrip: LatencyRange?
    ) {
        self.outputs = outputs
        self.microphone = microphone
        self.refused = refused
        self.isPhysical = isPhysical
        self.reported = reported
        self.period = period
        self.roundTrip = roundTrip
    }
}
