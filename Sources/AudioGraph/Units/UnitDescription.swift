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
        inputs: [BusDescription] = [], outputs: [BusDescription] = [],
        parameters: [ParameterDescription] = [], properties: [PropertyDescription] = [],
        presets: [Preset] = []
    ) {
        kind = UnitKind(type: type, name: name)
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
