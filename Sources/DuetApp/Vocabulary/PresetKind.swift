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
