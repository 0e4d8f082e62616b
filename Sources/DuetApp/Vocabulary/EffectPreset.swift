import AudioGraph

/// A choice that sets the effects of a source: the sound of a microphone, or the faders of an
/// equalizer.
struct EffectPreset: Sendable, Hashable {
    let kind: PresetKind
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

    /// Values of a choice, by address. All else that the preset sets is at its default.
    func values(of choice: Int) -> [String: Double] {
        guard choice != kind.neutral, choice >= 0 else { return [:] }
        let builtInCount = kind.builtInNames.count
        guard choice < builtInCount else {
            let own = kind.own
            guard choice - builtInCount < own.count else { return [:] }
            return values(of: own[choice - builtInCount])
        }
        return Self.builtIn[self]?[choice] ?? [:]
    }

    /// The presets of all sources.
    static let all =
        (["song", "second"] + Microphone.all.map(\.name)).map {
            EffectPreset(kind: .equalizer, bus: $0)
        } + Microphone.all.map { EffectPreset(kind: .microphone, bus: $0.name) }

    static let addresses = Set(all.map(\.address))

    /// Values of each built-in choice, by address: made once, since each look at a preset asks for them.
    private static let builtIn = Dictionary(
        uniqueKeysWithValues: all.map { preset in
            (preset, preset.kind.builtInNames.indices.map(preset.builtInValues))
        })

    private func builtInValues(of choice: Int) -> [String: Double] {
        guard choice != kind.neutral else { return [:] }
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

    /// Values of a saved preset, by address.
    func values(of own: OwnPreset) -> [String: Double] {
        [String: Double](
            uniqueKeysWithValues: own.values.map { ("/\(stripName)" + $0, $1) })
    }

    /// An address that it sets, without the strip's: as presets are saved.
    func ending(of address: String) -> String { String(address.dropFirst(stripName.count + 1)) }

    /// Whether users have saved the choice.
    func isOwn(_ choice: Int) -> Bool { choice >= kind.builtInNames.count }

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
