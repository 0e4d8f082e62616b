/// What a parameter's numbers mean.
public enum ParameterUnit: Sendable, Hashable {
    /// A factor of amplitudes; 1 changes nothing.
    case gain
    case decibels
    case hertz
    case seconds
    case percent
    /// −1 left, 0 centre, +1 right.
    case pan
    case degrees
    case metres
    case semitones
    /// A number without a unit.
    case number
    /// 0 off, 1 on.
    case `switch`
    /// A number of these names, from 0.
    case choice([String])

    /// The unit's name, as `duet units` prints it.
    public var name: String {
        switch self {
        case .gain: "gain"
        case .decibels: "decibels"
        case .hertz: "hertz"
        case .seconds: "seconds"
        case .percent: "percent"
        case .pan: "pan"
        case .degrees: "degrees"
        case .metres: "metres"
        case .semitones: "semitones"
        case .number: "number"
        case .switch: "switch"
        case .choice: "choice"
        }
    }
}

/// One parameter of a kind of unit.
public struct ParameterDescription: Sendable, Hashable {
    /// How a fader's travel becomes the value.
    public enum Curve: String, Sendable {
        case linear
        case logarithmic
        case decibel
    }

    public let name: ParameterName
    public let scope: Scope
    public let unit: ParameterUnit
    public let range: ClosedRange<Double>
    public let defaultValue: Double
    public let curve: Curve
    /// How long a change takes unless it says otherwise, in milliseconds.
    public let ramp: Int
    /// Whether the unit alone sets it, as a meter's reading.
    public let isReadOnly: Bool

    package init(
        _ name: ParameterName, scope: Scope = .global, _ unit: ParameterUnit,
        _ range: ClosedRange<Double>, default value: Double, curve: Curve = .linear, ramp: Int = 0,
        isReadOnly: Bool = false
    ) {
        self.name = name
        self.scope = scope
        self.unit = unit
        self.range = range
        defaultValue = value
        self.curve = curve
        self.ramp = ramp
        self.isReadOnly = isReadOnly
    }

    /// The same parameter in another scope.
    func moved(to scope: Scope) -> ParameterDescription {
        ParameterDescription(
            name, scope: scope, unit, range, default: defaultValue, curve: curve, ramp: ramp,
            isReadOnly: isReadOnly)
    }

    /// The nearest value of the range; the default for what is not a number.
    func nearest(to value: Double) -> Double {
        value.isNaN ? defaultValue : min(max(value, range.lowerBound), range.upperBound)
    }

    /// Whether `value` may be set: within the range, and a whole number for switches and choices.
    public func accepts(_ value: Double) -> Bool {
        guard range.contains(value) else { return false }
        return switch unit {
        case .switch, .choice: value == value.rounded()
        default: true
        }
    }

    /// A factor of 0…4.
    static func volume(scope: Scope) -> ParameterDescription {
        ParameterDescription(
            .volume, scope: scope, .gain, 0...4, default: 1, curve: .decibel, ramp: 10)
    }

    static func onOff(
        _ name: ParameterName, scope: Scope = .global, ramp: Int = 10
    ) -> ParameterDescription {
        ParameterDescription(name, scope: scope, .switch, 0...1, default: 0, ramp: ramp)
    }

    /// How much a unit reduces the gain now.
    static let reduction = ParameterDescription(
        .gainReduction, .decibels, -120...0, default: 0, isReadOnly: true)

    /// The four readings of a meter.
    static func meter(scope: Scope) -> [ParameterDescription] {
        [.peakLeft, .peakRight, .rmsLeft, .rmsRight].map { name in
            ParameterDescription(
                name, scope: scope, .decibels, -120...120, default: -120, isReadOnly: true)
        }
    }
}
