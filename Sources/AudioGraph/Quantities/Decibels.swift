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
