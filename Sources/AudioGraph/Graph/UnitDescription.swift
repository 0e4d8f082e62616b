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

/// Everything that can be known of a kind of unit before one is made.
public struct UnitDescription: Sendable, Hashable {
    public let kind: UnitKind
    /// What the unit does, in one sentence.
    public let summary: String
    public let inputs: [BusDescription]
    public let outputs: [BusDescription]
    public let parameters: [ParameterDescription]
    public let properties: [PropertyDescription]
    /// Ready-made values for the parameters.
    public let presets: [Preset]

    package init(
        _ type: UnitKind.UnitType, _ name: String, _ summary: String,
        manufacturer: String = "duet",
        inputs: [BusDescription] = [], outputs: [BusDescription] = [],
        parameters: [ParameterDescription] = [], properties: [PropertyDescription] = [],
        presets: [Preset] = []
    ) {
        kind = UnitKind(type: type, name: name, manufacturer: manufacturer)
        self.summary = summary
        self.inputs = inputs
        self.outputs = outputs
        self.parameters = parameters
        // A stage works ahead of time: nothing is late because of it.
        self.properties = properties + (type == .stage ? [] : [.latency])
        self.presets = presets
    }

    /// The description of a unit in a graph, with the parameters that `prototype` declares.
    init(
        _ type: UnitKind.UnitType, _ name: String, _ summary: String, of prototype: AudioNode,
        inputs: [BusDescription] = [], outputs: [BusDescription] = [],
        properties: [PropertyDescription] = [], presets: [Preset] = []
    ) {
        self.init(
            type, name, summary, inputs: inputs, outputs: outputs,
            parameters: ParameterList.of(prototype).all.map(\.description),
            properties: properties, presets: presets)
    }

    /// The parameter of that name in that scope, if there is one.
    public func parameter(_ name: ParameterName, scope: Scope) -> ParameterDescription? {
        parameters.first { $0.name == name && $0.scope == scope }
    }

    /// The factory preset of that name, if there is one: without regard to case, spaces and
    /// hyphens, so that `Hip Hop` finds `hip-hop`.
    public func preset(_ name: String) -> Preset? {
        func plain(_ name: String) -> String {
            name.lowercased().filter { $0 != " " && $0 != "-" }
        }
        return presets.first { plain($0.name) == plain(name) }
    }
}

/// What flows on a bus: sound, or the gains that one unit gives another for every frame.
public enum BusKind: String, Sendable {
    case audio
    case control
}

/// A bus of a unit, or several alike.
public struct BusDescription: Sendable, Hashable {
    public let name: String
    public let kind: BusKind
    /// How many channels the bus may have.
    public let channels: ClosedRange<Int>
    /// The number of the bus, or of the first of several.
    public let first: Int
    /// How many such buses there may be.
    public let count: ClosedRange<Int>

    init(
        _ name: String, kind: BusKind = .audio, channels: ClosedRange<Int> = 1...2, first: Int = 0,
        count: ClosedRange<Int> = 1...1
    ) {
        self.name = name
        self.kind = kind
        self.channels = kind == .control ? 1...1 : channels
        self.first = first
        self.count = count
    }
}

/// Values for some parameters of a unit, under a name.
public struct Preset: Sendable, Hashable {
    /// Small letters, words joined by hyphens.
    public let name: String
    public let values: [ParameterAddress: Double]

    init(_ name: String, _ values: [ParameterAddress: Double]) {
        self.name = name
        self.values = values
    }
}

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
    /// The part of the unit that it belongs to: the unit as a whole, or each bus.
    public let scope: Scope
    /// Whether the unit's user may set it.
    public let isWritable: Bool
    /// Whether it may change without a call of the unit's user.
    public let changesByItself: Bool

    init(
        _ name: String, _ type: ValueType, scope: Scope = .global, isWritable: Bool = false,
        changesByItself: Bool = false
    ) {
        self.name = name
        self.type = type
        self.scope = scope
        self.isWritable = isWritable
        self.changesByItself = changesByItself
    }

    static let latency = PropertyDescription("latency", .frames)
}

/// The value of a property.
public enum PropertyValue: Sendable, Hashable, CustomStringConvertible {
    case number(Int64)
    case text(String)
    case `switch`(Bool)

    /// Text like `48`, `true` or `playing`.
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        case .switch(let isOn): "\(isOn)"
        }
    }
}
