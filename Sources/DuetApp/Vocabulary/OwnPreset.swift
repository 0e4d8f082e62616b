import SystemSupport

/// A preset that users have saved: what an effect, or all effects of a microphone, were set to.
struct OwnPreset: Sendable, Equatable {
    let kind: PresetKind
    let name: String
    /// Values that it sets, by the addresses without that of the preset's strip, as `/reverb/wet` of a
    /// microphone or `/band/1` of an equalizer; all else is at its default.
    let values: [String: Double]

    /// Saved presets: those that the program has found when it began, then those that were saved since. Only
    /// ever added to, since a choice stands for its place among them.
    static let all = Guarded<[OwnPreset]>([])

    /// Adds the preset to those that can be chosen; one of the same name in other letters gets its values.
    func add() {
        Self.all.withLock { all in
            let place = all.firstIndex {
                $0.kind == kind && plainName($0.name) == plainName(name)
            }
            guard let place else { return all.append(self) }
            all[place] = OwnPreset(kind: kind, name: all[place].name, values: values)
        }
    }

    /// The longest name, in characters.
    static let longestName = 30

    /// Refuses a name that could not be written as a value, or that stands for something else.
    static func check(name: String, of kind: PresetKind) throws(Refusal) {
        let isPlain = name.unicodeScalars.allSatisfy {
            $0 == " " || $0 == "-" || $0.properties.isAlphabetic
                || $0.properties.numericType != nil
        }
        guard isPlain, !plainName(name).isEmpty, name.count <= longestName,
            name.utf8.count <= 4 * longestName, name == name.withoutSpaceAround
        else {
            throw Refusal(
                reason: "a preset name has only letters, digits, spaces and hyphens, at most "
                    + "\(longestName) of them")
        }
        let others = ["own", "off", "none", "default"] + kind.builtInNames
        guard !others.contains(where: { plainName($0) == plainName(name) }) else {
            throw Refusal(reason: "duet has a preset '\(name)' already; use another name")
        }
    }
}

extension PresetKind {
    /// Saved presets of this kind.
    var own: [OwnPreset] { OwnPreset.all.withLock { $0 }.filter { $0.kind == self } }

    /// The names that can be chosen.
    var names: [String] { builtInNames + own.map(\.name) }
}
