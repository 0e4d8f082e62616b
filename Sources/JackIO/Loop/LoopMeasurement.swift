/// The result of a `LoopProbe`.
public struct LoopMeasurement: Sendable, Hashable {
    /// The ports that were played to; empty when none was there or the server refused them.
    public var outputs: [String]
    /// The port that was listened to; nil when none was there or the server refused it.
    public var microphone: String?
    /// The ports, of both kinds, that the server did not connect.
    public var refused: [String]
    /// Whether all connected ports are hardware: only then the sound passed the converters.
    public var isPhysical: Bool
    /// The latency that JACK reports for the same way.
    public var reported: JackLatency
    /// Frames in a cycle.
    public var period: Int
    /// The path that was measured; nil when a side of it was not connected.
    public var path: LoopPath?
    /// Frames from the output to the microphone, at least and at most; nil when no burst was found.
    public var roundTrip: LatencyRange?

    public init(
        outputs: [String], microphone: String?, refused: [String], isPhysical: Bool,
        reported: JackLatency, period: Int, path: LoopPath? = nil, roundTrip: LatencyRange?
    ) {
        self.outputs = outputs
        self.microphone = microphone
        self.refused = refused
        self.isPhysical = isPhysical
        self.reported = reported
        self.period = period
        self.path = path
        self.roundTrip = roundTrip
    }
}
