/// Where a bus stands between the sides: −1 left, 0 centre, +1 right.
public struct Pan: Sendable, Hashable, LosslessStringConvertible {
    /// The position, −1…1.
    public let position: Double

    public static let left = Pan(-1.0)
    public static let centre = Pan(0.0)
    public static let right = Pan(1.0)

    /// A position; values outside −1…1 are brought to the nearest end, NaN to the centre.
    public init(_ position: Double) {
        self.position = position.isNaN ? 0 : min(max(position, -1), 1)
    }

    /// Reads a number from −1 to 1, or `left`, `centre`, `center`, `right`.
    public init?(_ text: String) {
        switch text.lowercased() {
        case "left": self = .left
        case "centre", "center": self = .centre
        case "right": self = .right
        default:
            guard let value = Double(text), (-1...1).contains(value) else { return nil }
            self.init(value)
        }
    }

    /// The position at the same distance on the other side.
    public var mirrored: Pan { Pan(-position) }

    /// `left`, `centre`, `right`, or a number like `-0.25`.
    public var description: String {
        switch position {
        case -1: "left"
        case 0: "centre"
        case 1: "right"
        default: fixed(position, digits: 2)
        }
    }
}
