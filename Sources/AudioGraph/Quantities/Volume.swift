import Glibc

/// A ratio of amplitudes on a logarithmic scale: 20·log10(gain), so −6.02 is half.
public struct Decibels: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The value in dB.
    public var value: Double

    /// The lowest level that is reported, −120 dB.
    public static let floor = Decibels(-120)

    /// A value in dB.
    public init(_ value: Double) { self.value = value }

    /// The decibels of a linear gain, at least `floor`; a gain of 0 or less gives `floor`.
    public init(gain: Double) {
        value = gain > 0 ? max(20 * log10(gain), Self.floor.value) : Self.floor.value
    }

    /// The linear gain, 10^(value/20).
    public var gain: Double { pow(10, value / 20) }

    public static func < (a: Decibels, b: Decibels) -> Bool { a.value < b.value }

    /// Text like `-6.0 dB`.
    public var description: String { "\(fixed(value, digits: 1)) dB" }
}

/// `value` with `digits` digits after the point, rounded to nearest; never `-0.0`.
package func fixed(_ value: Double, digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let whole = Int(scaled)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return sign + "\(whole)" }
    let fraction = String(whole % Int(scale))
    return sign + "\(whole / Int(scale))."
        + String(repeating: "0", count: digits - fraction.count) + fraction
}

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
