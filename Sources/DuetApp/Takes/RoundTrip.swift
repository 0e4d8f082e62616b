import JackIO

/// How long sound takes from the outputs of this program to its microphone.
struct RoundTrip: Sendable, Equatable {
    /// How the frames are known.
    enum Source: String, Sendable {
        /// `duet doctor --measure` measured them.
        case measured
        /// JACK reports them.
        case reported
        /// Neither measured nor reported: 0 frames.
        case unknown
        /// Nobody sings to what is heard: 0 frames.
        case unneeded = "none"
    }

    /// The longest round trip that is believed, in seconds: any JACK client can claim any latency,
    /// and a take begins with as much silence.
    static let longest = 10

    let frames: Int
    let source: Source

    static let unknown = RoundTrip(frames: 0, source: .unknown)
    static let unneeded = RoundTrip(frames: 0, source: .unneeded)

    /// What JACK reports.
    init(reported: JackLatency, period: Int) {
        let frames = Self.frames(of: reported)
        let limit = Self.longest * max(reported.sampleRate, 1)
        self =
            reported.isKnown(period: period) && frames <= limit
            ? RoundTrip(frames: frames, source: .reported) : .unknown
    }

    init(frames: Int, source: Source) {
        self.frames = frames
        self.source = source
    }

    /// The frames outside of the graph: what a unit of the graph adds is no part of the round trip.
    static func frames(of latency: JackLatency) -> Int {
        latency.capture.maximum + latency.playback.maximum
    }
}
