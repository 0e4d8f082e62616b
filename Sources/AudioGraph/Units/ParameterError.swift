/// Why a parameter was not set or read. Its value is as it was before.
public enum ParameterError: Error, Hashable, CustomStringConvertible {
    /// The unit has no parameter of that name in that scope.
    case noSuchParameter(unit: String, ParameterAddress)
    /// The unit has no bus, band or filter of that number.
    case noSuchElement(unit: String, ParameterAddress)
    /// The value lies outside the range, is not a number, or is not a whole number where only such
    /// are accepted.
    case outOfRange(unit: String, ParameterAddress, value: Double, range: ClosedRange<Double>)
    /// The unit alone sets it.
    case readOnly(unit: String, ParameterAddress)
    /// The change cannot be scheduled: it is not handed over at a frame.
    case notSchedulable(unit: String, ParameterAddress)
    /// The unit has no factory preset of that name.
    case noSuchPreset(unit: String, String, known: [String])
    /// The unit is in no graph whose frames could be counted.
    case notInGraph(unit: String)
    /// Too many changes wait for their frame.
    case scheduleIsFull(limit: Int)

    public var description: String {
        switch self {
        case .noSuchParameter(let unit, let address): "\(unit) has no \(address)"
        case .noSuchElement(let unit, let address):
            "\(unit) has no \(address.scope.rawValue) \(address.element)"
        case .outOfRange(let unit, let address, let value, let range):
            "\(address) of \(unit) cannot be \(value): it is \(range.lowerBound) to "
                + "\(range.upperBound)"
        case .readOnly(let unit, let address): "\(address) of \(unit) can be read only"
        case .notSchedulable(let unit, let address):
            "\(address) of \(unit) cannot be changed at a frame: set it"
        case .noSuchPreset(let unit, let name, let known):
            "\(unit) has no preset \(name): "
                + (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
        case .notInGraph(let unit): "\(unit) is in no graph: add it first"
        case .scheduleIsFull(let limit): "\(limit) changes wait for their frame: no more fit"
        }
    }
}
