/// The latency from the microphone to the ear, as JACK reports it.
public struct JackLatency: Sendable, Hashable {
    /// From the microphone to the client's input.
    public let capture: LatencyRange
    /// From the client's outputs to the ear.
    public let playback: LatencyRange
    /// What the graph adds between them.
    public let graph: LatencyRange
    /// The sample rate in Hz.
    public let sampleRate: Int

    public init(
        capture: LatencyRange, playback: LatencyRange, graph: LatencyRange = .zero, sampleRate: Int
    ) {
        self.capture = capture
        self.playback = playback
        self.graph = graph
        self.sampleRate = sampleRate
    }

    /// Frames from the microphone to the ear on the longest way.
    public var roundTripFrames: Int { capture.maximum + graph.maximum + playback.maximum }

    /// Seconds from the client's outputs out and back to its input, without what the graph adds, on
    /// the shortest way.
    public var shortestEcho: Double {
        Double(capture.minimum + playback.minimum) / Double(max(sampleRate, 1))
    }

    /// Whether the server knows the latency, with cycles of `period` frames: sound needs at least
    /// one period, while servers and drivers that do not know the latency report 0.
    public func isKnown(period: Int) -> Bool { capture.maximum + playback.maximum >= period }

    /// `roundTripFrames` in milliseconds.
    public var milliseconds: Double { Double(roundTripFrames) * 1000 / Double(sampleRate) }
}
