/// A value for an address, as `--set /song/volume=-6dB` and options like `--song-volume` give it.
struct Assignment: Sendable, Equatable {
    let address: String
    let value: Double

    /// Reads `value` for the parameter at `address`.
    init(_ address: String, _ value: String) throws(Refusal) {
        guard case .parameter(let parameter) = try Vocabulary.all.entry(address) else {
            throw Refusal(reason: "\(address) cannot be set at the start")
        }
        self.address = address
        self.value = try parameter.kind.read(value)
    }

    /// Reads `ADDRESS=VALUE`; there may be spaces around both.
    init(_ text: String) throws(Refusal) {
        let (address, value) = try Self.split(text)
        try self.init(address, value)
    }

    /// What stands on both sides of the first equals sign, without the spaces around it.
    static func split(_ text: String) throws(Refusal) -> (address: String, value: String) {
        guard let sign = text.firstIndex(of: "=") else {
            throw Refusal(reason: "use ADDRESS=VALUE, like /song/volume=-6dB")
        }
        return (
            String(text[..<sign]).withoutSpaceAround,
            String(text[text.index(after: sign)...]).withoutSpaceAround
        )
    }
}
