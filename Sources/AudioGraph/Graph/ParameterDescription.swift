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

    /// - Parameters:
    ///   - name: by which `AudioNode.set` finds it.
    ///   - scope: the part of the unit that it belongs to.
    ///   - unit: what its numbers mean.
    ///   - range: of the values.
    ///   - value: the default, within the range.
    ///   - curve: how a fader's travel becomes the value.
    ///   - ramp: how long a change takes, in milliseconds, 0 or more.
    ///   - isReadOnly: whether the unit alone sets it.
    public init(
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
}

/// The part of a unit that a parameter belongs to.
public enum Scope: String, Sendable, CaseIterable {
    /// The unit as a whole.
    case global
    /// An input bus.
    case input
    /// An output bus.
    case output
    /// A band of a graphic equalizer.
    case band
    /// A free filter of an equalizer.
    case filter
}

/// The name of a parameter: small letters, words joined by hyphens.
public struct ParameterName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible
{
    public let description: String

    public init(_ name: String) { description = name }

    public init(stringLiteral name: String) { description = name }

    public static let volume: ParameterName = "volume"
    public static let pan: ParameterName = "pan"
    public static let mute: ParameterName = "mute"
    public static let solo: ParameterName = "solo"
    public static let panLaw: ParameterName = "pan-law"
    public static let gain: ParameterName = "gain"
    public static let ceiling: ParameterName = "ceiling"
    public static let bypass: ParameterName = "bypass"
    public static let pause: ParameterName = "pause"
    public static let azimuth: ParameterName = "azimuth"
    public static let elevation: ParameterName = "elevation"
    public static let distance: ParameterName = "distance"
    public static let echoCancellation: ParameterName = "echo-cancellation"
    public static let noiseReduction: ParameterName = "noise-reduction"
    public static let gainControl: ParameterName = "gain-control"
    public static let referenceDelay: ParameterName = "reference-delay"
    public static let gainReduction: ParameterName = "gain-reduction"
    public static let peakLeft: ParameterName = "peak-left"
    public static let peakRight: ParameterName = "peak-right"
    public static let rmsLeft: ParameterName = "rms-left"
    public static let rmsRight: ParameterName = "rms-right"
    public static let kind: ParameterName = "kind"
    public static let frequency: ParameterName = "frequency"
    public static let q: ParameterName = "q"
    public static let slope: ParameterName = "slope"
    public static let time: ParameterName = "time"
    public static let feedback: ParameterName = "feedback"
    public static let tone: ParameterName = "tone"
    public static let mix: ParameterName = "mix"
    public static let size: ParameterName = "size"
    public static let decay: ParameterName = "decay"
    public static let damping: ParameterName = "damping"
    public static let preDelay: ParameterName = "pre-delay"
    public static let wet: ParameterName = "wet"
    public static let amount: ParameterName = "amount"
    public static let threshold: ParameterName = "threshold"
    public static let hysteresis: ParameterName = "hysteresis"
    public static let ratio: ParameterName = "ratio"
    public static let knee: ParameterName = "knee"
    public static let attack: ParameterName = "attack"
    public static let hold: ParameterName = "hold"
    public static let release: ParameterName = "release"
    public static let makeUp: ParameterName = "make-up"
    public static let depth: ParameterName = "depth"
    public static let key: ParameterName = "key"
    public static let tempo: ParameterName = "tempo"
    public static let varispeed: ParameterName = "varispeed"
}

/// A parameter of one unit: its name, and the scope and element (the bus, or the band of an
/// equalizer) that it belongs to.
public struct ParameterAddress: Sendable, Hashable, CustomStringConvertible {
    public let name: ParameterName
    public let scope: Scope
    /// The number of the bus, the band or the filter, from 0; 0 in the global scope.
    public let element: Int

    public init(_ name: ParameterName, scope: Scope = .global, element: Int = 0) {
        self.name = name
        self.scope = scope
        self.element = element
    }

    /// Text like `pan of input 1` or `gain of band 3`.
    public var description: String {
        scope == .global ? "\(name)" : "\(name) of \(scope.rawValue) \(element)"
    }
}
