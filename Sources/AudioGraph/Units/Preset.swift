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
