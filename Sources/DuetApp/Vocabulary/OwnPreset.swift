import SystemSupport

/// A preset that users have saved: what an effect, or all effects of a microphone, were set to.
struct OwnPreset: Sendable, Equatable {
    let kind: PresetKind
    let name: String
    /// What it sets, by the addresses without that of the preset's strip, as `/reverb/wet` of a
    /// microphone or `/band/1` of an equalizer; all else is at its default.
    let values: [String: Double]

    /// Those that are there, as the program has found them when it began. Set once, before anything
    /// asks for the names of presets, since a choice stands for its place among them.
    static let all = Guarded<[OwnPreset]>([])

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
