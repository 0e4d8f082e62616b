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
