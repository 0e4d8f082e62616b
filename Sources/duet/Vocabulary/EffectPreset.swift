import AudioGraph

/// A choice that sets the effects of a source: the sound of a microphone, or the faders of an
/// equalizer.
struct EffectPreset: Sendable, Hashable {
    enum Kind: Sendable {
        case microphone
        case equalizer
    }

    let kind: Kind
    /// The name of the source, as `mic`.
    let bus: String

    /// The beginning of its address, without the slash.
    var stripName: String {
        switch kind {
        case .microphone: bus
        case .equalizer: SourceEffect.equalizer.stripName(of: bus)
        }
    }

    var address: String { "/\(stripName)/preset" }

    /// What can be chosen.
    var names: [String] {
        switch kind {
        case .microphone: MicPreset.all.map(\.name)
        case .equalizer: EqualizerNode.unit.presets.map(\.name)
        }
    }

    /// The choice that sets nothing.
    var neutral: Int {
        switch kind {
        case .microphone: 0
        case .equalizer: names.firstIndex(of: "flat") ?? 0
        }
    }

    /// What a choice sets, by address.
    func values(of choice: Int) -> [String: Double] {
        guard choice != neutral, names.indices.contains(choice) else { return [:] }
        switch kind {
        case .microphone: return MicPreset.all[choice].values(of: bus)
        case .equalizer:
            let preset = EqualizerNode.unit.presets[choice]
            var values = ["/\(stripName)": 1.0]
            for (name, place, _) in SourceEffect.equalizer.parameters {
                values["/\(stripName)/\(name)"] = preset.values[place]
            }
            return values
        }
    }

    /// Whether it sets the parameter at `address`, whatever is chosen.
    func sets(_ address: String) -> Bool {
        switch kind {
        case .microphone:
            let strip = "/\(bus)/"
            guard address.hasPrefix(strip) else { return false }
            let effect = address.dropFirst(strip.count).prefix { $0 != "/" }
            return SourceEffect(rawValue: String(effect)) != nil
        case .equalizer:
            let strip = "/\(stripName)"
            guard address.hasPrefix(strip), address != self.address else { return false }
            return address.count == strip.count || address.dropFirst(strip.count).first == "/"
        }
    }
}
