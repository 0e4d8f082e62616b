import CJack

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

/// How many frames lie between a port and the outside world, at least and at most.
public struct LatencyRange: Sendable, Hashable, CustomStringConvertible {
    /// Frames on the shortest way.
    public let minimum: Int
    /// Frames on the longest way.
    public let maximum: Int

    /// No frames between the port and the outside world.
    public static let zero = LatencyRange(minimum: 0, maximum: 0)

    public init(minimum: Int, maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// For example `128–256 frames`.
    public var description: String {
        minimum == maximum ? "\(maximum) frames" : "\(minimum)–\(maximum) frames"
    }

    /// The union of the ranges of those `ports` that are connected; 0…0 when none is. Unconnected
    /// ports are left out, as they report 0.
    static func union(of ports: [OpaquePointer], mode: jack_latency_callback_mode_t) -> Self {
        var union: LatencyRange?
        for index in unsafe ports.indices where unsafe jack_port_connected(ports[index]) > 0 {
            var range = jack_latency_range_t()
            unsafe jack_port_get_latency_range(ports[index], mode, &range)
            union = LatencyRange(
                minimum: min(union?.minimum ?? .max, Int(range.min)),
                maximum: max(union?.maximum ?? 0, Int(range.max)))
        }
        return union ?? .zero
    }

    /// Both ways, one after the other.
    static func + (first: Self, second: Self) -> Self {
        LatencyRange(
            minimum: first.minimum + second.minimum, maximum: first.maximum + second.maximum)
    }

    var jackRange: jack_latency_range_t {
        jack_latency_range_t(
            min: jack_nframes_t(clamping: minimum), max: jack_nframes_t(clamping: maximum))
    }
}

/// Where the sound of a client goes out and comes back in: a measured round trip holds for one
/// such path.
public struct LoopPath: Sendable, Hashable {
    /// Full names of the ports that are played to, sorted; never empty.
    public let outputs: [String]
    /// The full name of the port that is listened to.
    public let microphone: String
    /// The sample rate in Hz.
    public let sampleRate: Int
    /// Frames in a cycle.
    public let period: Int
    /// The server's driver with its device, such as `alsa_pcm:hw:PCH`, or `PipeWire`. `jackd` where
    /// no port says which driver it is.
    public let driver: String

    public init(
        outputs: [String], microphone: String, sampleRate: Int, period: Int, driver: String
    ) {
        self.outputs = outputs.sorted()
        self.microphone = microphone
        self.sampleRate = sampleRate
        self.period = period
        self.driver = driver
    }

    /// The path from `sinks` to `sources`, the ports that a client is connected to. A program that
    /// records beside the hardware changes nothing: programs count only where there is no hardware.
    /// Nil when a side is not connected.
    init?(
        sinks: [JackPort], sources: [JackPort], sampleRate: Int, period: Int,
        isPipeWire: Bool = Libjack.isPipeWire
    ) {
        let (sinks, sources) = (Self.hardware(in: sinks), Self.hardware(in: sources))
        guard !sinks.isEmpty, let microphone = sources.map(\.name).min() else { return nil }
        // jackd names driver and device in the first alias of its ports: alsa_pcm:hw:PCH:in1.
        let drivers = Set(
            (sinks + sources).filter(\.isPhysical).compactMap { port in
                port.aliases.first.flatMap { alias in
                    alias.lastIndex(of: ":").map { String(alias[..<$0]) }
                }
            }
        ).sorted().joined(separator: "+")
        self.init(
            outputs: Array(Set(sinks.map(\.name))), microphone: microphone,
            sampleRate: sampleRate, period: period,
            driver: isPipeWire ? "PipeWire" : drivers.isEmpty ? "jackd" : drivers)
    }

    private static func hardware(in ports: [JackPort]) -> [JackPort] {
        let hardware = ports.filter(\.isPhysical)
        return hardware.isEmpty ? ports : hardware
    }
}
