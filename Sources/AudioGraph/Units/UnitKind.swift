/// What a unit is: its type and its name, by which it is found.
public struct UnitKind: Sendable, Hashable, CustomStringConvertible {
    /// What units of a type are for.
    public enum UnitType: String, Sendable, CaseIterable {
        /// Many inputs become one output.
        case mixer
        /// One input is changed, or watched.
        case effect
        /// The end of a graph.
        case output
        /// Another rate, or another number of channels.
        case converter
        /// Sound without an input.
        case generator
        /// An effect on a song's thread, without a place in the graph.
        case stage
    }

    public let type: UnitType
    /// Small letters, words joined by hyphens: `feedback-guard`.
    public let name: String
    /// Who made the unit; `duet` for all in this library.
    public let manufacturer: String

    public init(type: UnitType, name: String, manufacturer: String = "duet") {
        self.type = type
        self.name = name
        self.manufacturer = manufacturer
    }

    /// Text like `effect limiter`.
    public var description: String { "\(type.rawValue) \(name)" }
}
