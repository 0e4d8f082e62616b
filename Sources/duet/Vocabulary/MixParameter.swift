import AudioGraph

/// A parameter of the mix with its address, as `/song/volume`.
struct MixParameter: Sendable, Hashable {
    let address: String
    let unit: MixUnit
    /// Where the unit has the parameter.
    let place: ParameterAddress
    let kind: ValueKind

    /// The parameter's name, as `volume`.
    var name: ParameterName { place.name }
}

/// The units of a mix whose parameters have addresses.
enum MixUnit: Sendable {
    case mixer, limiter, feedbackGuard

    fileprivate var description: UnitDescription {
        switch self {
        case .mixer: MixerNode.unit
        case .limiter: LimiterNode.unit
        case .feedbackGuard: FeedbackGuardNode.unit
        }
    }
}

/// A part of the mix that has addresses: where the parameters of `/song/…` are.
struct Strip: Sendable {
    /// The beginning of the addresses, without the slash.
    let name: String
    let unit: MixUnit
    let scope: Scope
    let element: Int

    static let all = [
        Strip(name: "song", unit: .mixer, scope: .input, element: 0),
        Strip(name: "second", unit: .mixer, scope: .input, element: 1),
        Strip(name: "mic", unit: .mixer, scope: .input, element: 1),
        Strip(name: "mic/feedback-guard", unit: .feedbackGuard, scope: .global, element: 0),
        Strip(name: "out", unit: .mixer, scope: .output, element: 0),
        Strip(name: "out", unit: .mixer, scope: .global, element: 0),
        Strip(name: "out/limiter", unit: .limiter, scope: .global, element: 0),
    ]

    /// The parameters that can be set, from the unit's description.
    var parameters: [MixParameter] {
        unit.description.parameters.filter { $0.scope == scope && !$0.isReadOnly }.map {
            MixParameter(
                address: "/\(name)/\($0.name)", unit: unit,
                place: ParameterAddress($0.name, scope: scope, element: element),
                kind: ValueKind(unit: $0.unit, range: $0.range, defaultValue: $0.defaultValue))
        }
    }
}
