/// Something that a unit tells about itself, beside its parameters.
public struct PropertyDescription: Sendable, Hashable {
    public enum ValueType: String, Sendable {
        case frames
        case count
        case text
        case `switch`
    }

    public let name: String
    public let type: ValueType
    /// Whether it may change without a call of the unit's user.
    public let changesByItself: Bool

    init(_ name: String, _ type: ValueType, changesByItself: Bool = false) {
        self.name = name
        self.type = type
        self.changesByItself = changesByItself
    }

    static let latency = PropertyDescription("latency", .frames)
}

/// The value of a property.
public enum PropertyValue: Sendable, Hashable {
    case number(Int64)
    case text(String)
    case `switch`(Bool)
}
