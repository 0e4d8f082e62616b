import AudioGraph
import AudioMedia

/// A parameter of the mix with its address, as `/song/volume`.
struct MixParameter: Sendable, Hashable {
    let address: String
    let unit: MixUnit
    /// Where the unit has the parameter.
    let place: ParameterAddress
    let kind: ValueKind

    /// The parameter's name, as `volume`.
    var name: ParameterName { place.name }

    /// Whether a value that users set holds for the song alone.
    var isOfSong: Bool { unit.isStage || unit == .lyrics }
}

extension MixParameter {
    /// How many seconds later than they say lines of lyrics are shown.
    static let lyricsOffset = MixParameter(
        address: "/lyrics/offset", unit: .lyrics, place: ParameterAddress("offset"),
        kind: ValueKind(unit: .seconds, range: -10...10, defaultValue: 0))
}

extension EffectPreset {
    /// What it sets, whatever is chosen; other presets among it are none of that.
    var parameters: [MixParameter] {
        Strip.all.flatMap(\.parameters).filter {
            if case .preset = $0.unit { false } else { sets($0.address) }
        }
    }
}

/// The units of a mix whose parameters have addresses.
enum MixUnit: Sendable, Hashable {
    case mixer, limiter
    /// What turns down a microphone that howls: each has its own.
    case feedbackGuard(bus: Int)
    /// What places a bus around the head: there only while its azimuth is not off. The element of
    /// its parameters is the number of the bus.
    case panner
    /// What takes the song's echo out of the microphone: there only while it is on.
    case voiceProcessor
    /// What turns the song down while the microphone is heard: there only while its depth is not 0.
    case ducker
    /// What changes the sound of a bus: each is there only while it is on.
    case effect(SourceEffect, bus: Int)
    /// No unit: what effects are set to.
    case preset(EffectPreset)
    /// What plays a song in another key or at another speed, before it comes to the graph: see
    /// `MixPlan.effects`.
    case timePitch
    /// What takes voices out of songs, before they come to the graph, too.
    case vocals
    /// No unit, and nothing that is heard: when lyrics are shown.
    case lyrics

    /// Whether it works before the song comes to the graph.
    var isStage: Bool { description?.kind.type == .stage }

    fileprivate var description: UnitDescription? {
        switch self {
        case .mixer: MixerNode.unit
        case .limiter: LimiterNode.unit
        case .feedbackGuard: FeedbackGuardNode.unit
        case .panner: BinauralPannerNode.unit
        case .voiceProcessor: VoiceProcessorNode.unit
        case .ducker: DuckerNode.unit
        case .effect(let effect, _): effect.description
        case .preset: nil
        case .timePitch: SongTuning.unit
        case .vocals: VocalRemoval.unit
        case .lyrics: nil
        }
    }

    /// The unit's parameters without an address: a unit that is there only while it is asked for is
    /// not bypassed, and the driver knows its own round trip.
    fileprivate var hidden: [ParameterName] {
        switch self {
        case .mixer, .limiter, .feedbackGuard, .effect, .preset, .timePitch, .vocals, .lyrics: []
        case .panner, .ducker: [.bypass]
        case .voiceProcessor: [.bypass, .referenceDelay]
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

    static let all =
        [
            Strip(name: "song", unit: .mixer, scope: .input, element: 0),
            Strip(name: "song", unit: .panner, scope: .global, element: 0),
            Strip(name: "song", unit: .timePitch, scope: .global, element: 0),
            Strip(name: "song/vocals", unit: .vocals, scope: .global, element: 0),
            Strip(name: "song/duck", unit: .ducker, scope: .global, element: 0),
        ] + effects([.equalizer], of: "song", bus: 0) + [
            Strip(name: "second", unit: .mixer, scope: .input, element: 1),
            Strip(name: "second", unit: .panner, scope: .global, element: 1),
            Strip(name: "second", unit: .timePitch, scope: .global, element: 1),
            Strip(name: "second/vocals", unit: .vocals, scope: .global, element: 1),
        ] + effects([.equalizer], of: "second", bus: 1) + Microphone.all.flatMap(microphone) + [
            Strip(name: "out", unit: .mixer, scope: .output, element: 0),
            Strip(name: "out", unit: .mixer, scope: .global, element: 0),
            Strip(name: "out/limiter", unit: .limiter, scope: .global, element: 0),
            Strip(name: "lyrics", unit: .lyrics, scope: .global, element: 0),
        ]

    /// A microphone; only the one on bus 1 can be processed.
    private static func microphone(_ microphone: Microphone) -> [Strip] {
        let (name, bus) = (microphone.name, microphone.bus)
        let processor = Strip(
            name: "\(name)/voice-processing", unit: .voiceProcessor, scope: .global, element: bus)
        return [
            Strip(name: name, unit: .mixer, scope: .input, element: bus),
            Strip(name: name, unit: .panner, scope: .global, element: bus),
        ] + (bus == 1 ? [processor] : []) + effects(SourceEffect.allCases, of: name, bus: bus) + [
            Strip(
                name: "\(name)/feedback-guard", unit: .feedbackGuard(bus: bus), scope: .global,
                element: 0)
        ]
    }

    /// Effects of a bus, each behind the presets that set it.
    private static func effects(
        _ effects: [SourceEffect], of name: String, bus: Int
    ) -> [Strip] {
        let microphone =
            effects == SourceEffect.allCases ? [EffectPreset(kind: .microphone, bus: name)] : []
        let presets = microphone + [EffectPreset(kind: .equalizer, bus: name)]
        return presets.map {
            Strip(name: $0.stripName, unit: .preset($0), scope: .global, element: 0)
        }
            + effects.map {
                Strip(
                    name: $0.stripName(of: name), unit: .effect($0, bus: bus), scope: .global,
                    element: 0)
            }
    }

    /// The parameters that can be set, from the unit's description.
    var parameters: [MixParameter] {
        switch unit {
        case .mixer, .limiter, .feedbackGuard, .panner, .ducker, .timePitch, .vocals: ofUnit
        case .voiceProcessor: [isOn] + ofUnit
        case .effect(let effect, _):
            [isOn]
                + effect.parameters.map { name, place, found in
                    MixParameter(
                        address: "/\(self.name)/\(name)", unit: unit, place: place,
                        kind: ValueKind(found))
                }
        case .lyrics: [.lyricsOffset]
        case .preset(let preset):
            [
                MixParameter(
                    address: preset.address, unit: unit, place: ParameterAddress("preset"),
                    kind: ValueKind(choosing: preset.kind))
            ]
        }
    }

    private var ofUnit: [MixParameter] {
        let found = unit.description?.parameters.filter {
            $0.scope == scope && !$0.isReadOnly && !unit.hidden.contains($0.name)
        }
        return (found ?? []).map { found in
            var kind = ValueKind(found)
            if unit == .panner, found.name == .azimuth { kind = kind.startingAt(ValueKind.off) }
            let isDucking = unit == .ducker && found.name == .depth
            if isDucking { kind = kind.startingAt(0) }
            return MixParameter(
                address: isDucking ? "/\(name)" : "/\(name)/\(found.name)", unit: unit,
                place: ParameterAddress(found.name, scope: scope, element: element), kind: kind)
        }
    }

    /// Whether the unit is there at all; its opposite is what other units call bypass.
    private var isOn: MixParameter {
        MixParameter(
            address: "/\(name)", unit: unit,
            place: ParameterAddress(.bypass, scope: scope, element: element),
            kind: ValueKind(unit: .switch, range: 0...1, defaultValue: 0))
    }
}
