import AudioGraph

/// What presets are for.
enum PresetKind: String, Sendable, CaseIterable {
    /// All effects of a microphone.
    case microphone
    case equalizer

    /// Those that come with this program.
    var builtInNames: [String] {
        switch self {
        case .microphone: MicPreset.all.map(\.name)
        case .equalizer: EqualizerNode.unit.presets.map(\.name)
        }
    }

    /// Those that users have saved.
    var own: [OwnPreset] { OwnPreset.all.withLock { $0 }.filter { $0.kind == self } }

    /// The names that can be chosen.
    var names: [String] { builtInNames + own.map(\.name) }

    /// The choice that sets nothing.
    var neutral: Int {
        switch self {
        case .microphone: 0
        case .equalizer: builtInNames.firstIndex(of: "flat") ?? 0
        }
    }

    /// A source that has such presets: files name its addresses.
    var exemplar: String {
        switch self {
        case .microphone: "mic"
        case .equalizer: "song"
        }
    }
}
