import CJack

/// How many frames lie between a port and the outside world, at least and at most.
public struct LatencyRange: Sendable, Hashable, CustomStringConvertible {
    /// Frames on the shortest way.
    public let minimum: Int
    /// Frames on the longest way.
    public let maximum: Int

    /// Nothing in between.
    public static let zero = LatencyRange(minimum: 0, maximum: 0)

    public init(minimum: Int, maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// As `128–256 frames`.
    public var description: String {
        minimum == maximum ? "\(maximum) frames" : "\(minimum)–\(maximum) frames"
    }

    /// What the connected ones of `ports` know together; 0…0 when none is connected, for an
    /// unconnected port leads nowhere and says 0.
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

    var jackRange: jack_latency_range_t {
        jack_latency_range_t(
            min: jack_nframes_t(clamping: minimum), max: jack_nframes_t(clamping: maximum))
    }
}
