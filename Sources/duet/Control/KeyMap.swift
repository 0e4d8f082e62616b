/// The action of each key.
enum KeyMap {
    /// How far one key press turns a volume, in dB: about the smallest step that can be heard.
    static let volumeStep = 1.0
    /// How far one key press moves a pan.
    static let panStep = 0.1
    /// How far an arrow key moves the song, in seconds, as in mpv.
    static let seekStep = 5.0

    /// The action of `key`; nil when it has none.
    static func action(for key: Key) -> Action? {
        switch key {
        case .left: .seek(by: -seekStep)
        case .right: .seek(by: seekStep)
        case .character(let character):
            switch character {
            case " ": .togglePause
            case "q": .quit
            case "n": .nextSong
            case "b": .previousSong
            case "m": .toggleMute(.second)
            case "M": .toggleMute(.first)
            case "9": .changeVolume(.first, decibels: -volumeStep)
            case "0": .changeVolume(.first, decibels: volumeStep)
            case "-": .changeVolume(.second, decibels: -volumeStep)
            // The plus sign's key without shift, on the most common keyboards.
            case "+", "=": .changeVolume(.second, decibels: volumeStep)
            case ",": .changePan(.first, by: -panStep)
            case ".": .changePan(.first, by: panStep)
            case "[": .changePan(.second, by: -panStep)
            case "]": .changePan(.second, by: panStep)
            case "s": .swapSides
            case "h", "?": .help
            default: nil
            }
        }
    }

    /// The keys in one line.
    ///
    /// - Parameter second: the name of bus 1; nil: there is no bus 1.
    static func help(second: String?) -> String {
        let first = "space pause · q quit · ←/→ seek 5 s · n next · b previous"
        guard let second else {
            return first + " · M mute · 9/0 volume · ,/. pan · s swap sides · h help"
        }
        return first + " · m mute \(second) · M mute song · 9/0 song volume · -/+ \(second) volume"
            + " · ,/. song pan · [/] \(second) pan · s swap sides · h help"
    }
}
