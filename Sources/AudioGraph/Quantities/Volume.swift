/// The volume that a user sets for a bus or an output: a linear gain from 0 to 4.
public struct Volume: Sendable, Hashable, LosslessStringConvertible {
    /// The linear gain, 0…4; 1 changes nothing.
    public let gain: Double

    /// Silence.
    public static let silent = Volume(gain: 0)
    /// Unchanged, 0 dB.
    public static let unity = Volume(gain: 1)
    /// The loudest, about 12 dB.
    public static let maximum = Volume(gain: 4)

    /// A linear gain; values outside 0…4 are brought to the nearest end, NaN to 0.
    public init(gain: Double) {
        self.gain = gain > 0 ? min(gain, 4) : 0
    }

    /// A gain in decibels; more than about 12.04 dB is brought to 4.
    public init(_ decibels: Decibels) { self.init(gain: decibels.gain) }

    /// Reads `0.5` (linear) or `-6dB` (`-6 dB`, any case). Nil when `text` is neither, or the gain
    /// lies outside 0…4.
    public init?(_ text: String) {
        let lower = text.lowercased()
        let gain: Double
        if lower.hasSuffix("db") {
            let number = lower.dropLast(2)
            let trimmed = number.last == " " ? number.dropLast() : number
            if trimmed == "-inf" {
                gain = 0
            } else {
                guard let value = Double(trimmed), value.isFinite else { return nil }
                gain = Decibels(value).gain
            }
        } else {
            guard let value = Double(lower) else { return nil }
            gain = value
        }
        // 4 is 12.0412 dB, rounded: a user who types "12.0412dB" means the end of the scale.
        guard gain >= 0, gain <= 4.0001 else { return nil }
        self.init(gain: gain)
    }

    /// The gain in dB, at least −120.
    public var decibels: Decibels { Decibels(gain: gain) }

    /// Text like `-6.0 dB`; `-inf dB` for silence.
    public var description: String { gain == 0 ? "-inf dB" : decibels.description }
}
