/// A microphone of a mix, by its number: each has a bus, addresses, a port and a voice of its own.
struct Microphone: Sendable, Hashable {
    /// From 1 on.
    let number: Int

    /// All that a mix can have.
    static let all = ordinals.indices.map { Microphone(number: $0 + 1) }

    private static let ordinals = ["first", "second", "third", "fourth"]

    private init(number: Int) { self.number = number }

    /// The number of its bus: the song has bus 0.
    var bus: Int { number }

    /// What it is called: `first`, `second`.
    var ordinal: String { Self.ordinals[number - 1] }

    /// The name of its bus, with which its addresses begin: `mic`, `mic2`.
    var name: String { "mic\(suffix)" }

    /// The name of its port, and the beginning of those of its own outputs: `mic`, `mic_2`. One of two
    /// channels has `mic_left` and `mic_right`.
    var port: String { number == 1 ? "mic" : "mic_\(number)" }

    /// The file of its voice in a take.
    var file: String { "voice\(suffix).wav" }

    /// What it is called in a sentence: `microphone`, `second microphone`.
    var title: String { number == 1 ? "microphone" : "\(ordinal) microphone" }

    /// The option that asks for it, without the dashes: `mic`, `second-mic`.
    var option: String { number == 1 ? "mic" : "\(ordinal)-mic" }

    private var suffix: String { number == 1 ? "" : "\(number)" }

    /// Whether an address is one of its own.
    func owns(_ address: String) -> Bool { address.hasPrefix("/\(name)/") }
}
