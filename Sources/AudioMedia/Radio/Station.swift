/// The station that sends a live stream, as it describes itself.
public struct Station: Sendable, Equatable {
    /// Safe to show, at most 256 characters; nil when the station tells none.
    public let name: String?
    /// In kbit/s, 1…10,000; nil when the station tells none.
    public let bitrate: Int?
}

extension Station {
    /// The station in a response's headers `icy-name` and `icy-br`; of a bitrate `128,64` the first
    /// counts.
    init(icyName: String?, icyBitrate: String?) {
        name = icyName.flatMap { $0.isEmpty ? nil : String($0.prefix(256)) }
        let number = icyBitrate?.prefix { $0.isASCII && $0.isNumber }
        bitrate = number.flatMap { wholeNumber($0) }
            .flatMap { (1...10_000).contains($0) ? Int($0) : nil }
    }
}
