/// Who sends a live stream, as it says itself.
public struct Station: Sendable, Equatable {
    /// Safe to show, at most 256 characters; nil when it does not say.
    public let name: String?
    /// In kbit/s, 1…10,000; nil when it does not say.
    public let bitrate: Int?
}

extension Station {
    /// What a response's `icy-name` and `icy-br` say; of `128,64` the first counts.
    init(icyName: String?, icyBitrate: String?) {
        name = icyName.flatMap { $0.isEmpty ? nil : String($0.prefix(256)) }
        let number = icyBitrate?.prefix { $0.isASCII && $0.isNumber }
        bitrate = number.flatMap { wholeNumber($0) }
            .flatMap { (1...10_000).contains($0) ? Int($0) : nil }
    }
}
