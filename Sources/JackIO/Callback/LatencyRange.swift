import CJack

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
