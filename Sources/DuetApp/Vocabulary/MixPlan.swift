import AudioGraph
import AudioMedia

/// What a mix is made of, and the values of its parameters, as options set them and keys change
/// them.
struct MixPlan: Sendable, Equatable {
    /// What plays beside the song, from bus 1 on.
    enum Second: Sendable, Equatable {
        case nothing
        /// A microphone of 1 or 2 channels, live or from a file.
        case mic(channelCount: Int)
        /// Two microphones of 1 channel each, or more, on bus 1 and those after it.
        case mics(Int)
        case song

        /// The names of the buses from bus 1 on: on the status line, in the help on keys and in
        /// addresses.
        var names: [String] {
            switch self {
            case .nothing: []
            case .mic: ["mic"]
            case .mics(let count): Microphone.all.prefix(count).map(\.name)
            case .song: ["second"]
            }
        }

        /// The name of bus 1; nil: there is none.
        var name: String? { names.first }

        /// How many channels each microphone has; the first is on bus 1.
        var microphones: [Int] {
            switch self {
            case .nothing, .song: []
            case .mic(let channelCount): [channelCount]
            case .mics(let count): [Int](repeating: 1, count: count)
            }
        }
    }

    var second: Second
    /// Whether a microphone that howls is turned down.
    var guardsFeedback = false
    /// Whether each bus has outputs of its own, after volume and pan.
    var hasDirectOutputs = false
    /// Whether music may be played while nobody sings.
    var hasBreakMusic = false
    /// Whether files play in the places of the microphones, as those of a take do, to the frame with the
    /// song.
    var playsVoices = false
    /// The values that are not the default, by address. Of a preset the choice; what it set is among them.
    private var values: [String: Double] = [:]

    init(second: Second = .nothing) { self.second = second }

    /// All that can be changed in this mix.
    var vocabulary: Vocabulary { Vocabulary(strips: Strip.all.filter(has)) }

    /// Whether the mix has this part.
    func has(_ strip: Strip) -> Bool {
        let bus = String(strip.name.prefix { $0 != "/" })
        return switch strip.unit {
        case .ducker: !second.microphones.isEmpty
        case .lyrics: true
        case .feedbackGuard: second.names.contains(bus) && guardsFeedback
        default: (["out"] + buses).contains(bus)
        }
    }

    /// The value of a parameter. A preset that is set writes all values of its strip. While any of them
    /// differs from what it wrote, the preset's own value is `ValueKind.own`, which sets nothing.
    subscript(parameter: MixParameter) -> Double {
        get {
            if case .preset(let preset) = parameter.unit, isChanged(preset) {
                return ValueKind.own
            }
            return chosen(parameter)
        }
        set {
            guard newValue != ValueKind.own else { return }
            if case .preset(let preset) = parameter.unit {
                values = values.filter { !preset.sets($0.key) }
                values.merge(Self.values(of: preset, Int(newValue))) { $1 }
            }
            values[parameter.address] = newValue == parameter.kind.defaultValue ? nil : newValue
        }
    }

    /// The value of a parameter; of a preset the one that was chosen, whatever was changed since.
    func chosen(_ parameter: MixParameter) -> Double {
        values[parameter.address] ?? parameter.kind.defaultValue
    }

    /// Values of a choice of a preset that are not the default, by address.
    private static func values(of preset: EffectPreset, _ choice: Int) -> [String: Double] {
        preset.values(of: choice).filter { $1 != defaults[$0] }
    }

    private static let defaults = Dictionary(
        Strip.all.flatMap(\.parameters).map { ($0.address, $0.kind.defaultValue) }
    ) { $1 }

    /// Whether something of what a preset sets is not as it says.
    private func isChanged(_ preset: EffectPreset) -> Bool {
        let choice = values[preset.address].map { Int($0) } ?? preset.kind.neutral
        let said = Self.values(of: preset, choice)
        return said.contains { values[$0] != $1 }
            || values.keys.contains {
                said[$0] == nil && preset.sets($0) && !EffectPreset.addresses.contains($0)
            }
    }

    /// The switch of the effect that `parameter` belongs to, if that is off; nil where there is
    /// nothing to turn on.
    func switchedOff(for parameter: MixParameter) -> MixParameter? {
        guard case .effect(let effect, let bus) = parameter.unit, parameter.name != .bypass else {
            return nil
        }
        let address = "/\(effect.stripName(of: buses[bus]))"
        // A vocabulary is made only where there is something to turn on.
        guard values[address] == nil else { return nil }
        return vocabulary.parameter(address)
    }

    /// Sets what `assignments` say, in their order. Refuses an address that this mix has not.
    ///
    /// - Parameter turningOn: whether an effect, a value of which is set, is turned on; false.
    mutating func set(_ assignments: [Assignment], turningOn: Bool = false) throws(Refusal) {
        let vocabulary = vocabulary
        for assignment in assignments {
            guard case .parameter(let parameter) = try vocabulary.entry(assignment.address) else {
                continue
            }
            self[parameter] = assignment.value
            if turningOn, let off = switchedOff(for: parameter) { self[off] = 1 }
        }
    }

    /// Takes over the values that another mix was given, as far as this one has these parameters.
    mutating func takeValues(of other: MixPlan) {
        let others = other.vocabulary
        for parameter in vocabulary.parameters {
            if let same = others.parameter(parameter.address) { self[parameter] = other[same] }
        }
    }

    /// Whether the same values were set as in another mix.
    func hasValues(of other: MixPlan) -> Bool { values == other.values }

    /// The names of the buses that have outputs of their own, as the names of ports begin: like the
    /// port of the microphone.
    var directOutputs: [String] {
        hasDirectOutputs
            ? buses.map { bus in Microphone.all.first { $0.name == bus }?.port ?? bus } : []
    }

    /// The names of the buses, in their order.
    var buses: [String] { ["song"] + second.names }

    /// Whether a bus plays songs.
    func hasSongs(bus: Int) -> Bool { bus == 0 || bus == 1 && second == .song }

    /// How many channels of the driver each microphone has.
    var microphones: [Int] { playsVoices ? [] : second.microphones }

    /// What is done to the songs of a bus before they come to the graph: nothing where the bus has
    /// none.
    func effects(bus: Int) -> SongEffects {
        let vocabulary = vocabulary
        func value(_ name: String) -> Double? {
            guard buses.indices.contains(bus) else { return nil }
            return vocabulary.parameter("/\(buses[bus])/\(name)").map { self[$0] }
        }
        let tuning = SongTuning(
            key: value("key") ?? 0, tempo: value("tempo") ?? 100,
            varispeed: value("varispeed") ?? 100)
        var vocals = VocalRemoval()
        vocals.amount = value("vocals/remove") ?? 0
        vocals.mode = VocalMode.allCases[Int(value("vocals/mode") ?? 0)]
        vocals.place = Pan(value("vocals/at") ?? 0)
        vocals.leavesOnlyVoice = value("vocals/only") == 1
        return SongEffects(tuning: tuning ?? SongTuning(), vocals: vocals)
    }

    /// Whether a bus is not heard: it is muted, at volume 0, or others are solo.
    func isOff(bus: Int) -> Bool {
        func value(_ bus: Int, _ name: String) -> Double? { values["/\(buses[bus])/\(name)"] }
        let isSolo = { value($0, "solo") ?? 0 != 0 }
        return isMuted(bus: bus) || value(bus, "volume") == 0
            || !isSolo(bus) && buses.indices.contains(where: isSolo)
    }

    /// Whether a bus is muted.
    func isMuted(bus: Int) -> Bool {
        values["/\(buses[bus])/mute"] ?? 0 != 0
    }
}
