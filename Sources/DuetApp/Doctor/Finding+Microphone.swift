import AudioGraph
import JackIO

extension Finding {
    /// The finding of a microphone that was listened to.
    ///
    /// - Parameter levels: those of `port` and of other ports; without `port` if the server refused to
    ///   connect it.
    static func microphone(_ port: String, _ levels: [PortLevel]) -> Finding {
        guard let level = levels.first(where: { $0.port == port }) else {
            return .better(
                "microphone: the JACK server does not connect \(port) to duet",
                "start it without -a")
        }
        let peak = fixed(level.peak.value, digits: 0)
        let fact = "microphone: peaks at \(peak) dBFS"
        switch MicrophoneLevel(level.peak) {
        case .silent:
            return .better(
                "microphone: silent (\(port))",
                MicrophoneLevel.advice(
                    moving: MicrophoneLevel.moving(in: levels, besides: [port]),
                    option: "duet --mic"))
        case .tooSoft, .soft:
            return .better(
                fact + " (\(port))",
                "raise the gain of the card, or sing into it while duet listens")
        case .good: return .ok(fact + ", good (\(port))")
        case .clips:
            return .better("microphone: clips (\(port))", "lower the gain of the card")
        }
    }
}
