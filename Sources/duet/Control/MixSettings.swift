import AudioGraph

/// How a song and a second source are mixed, as options set it and keys change it.
struct MixSettings: Sendable, Equatable {
    /// What plays on bus 1.
    enum Second: Sendable, Equatable {
        case nothing
        /// A microphone of 1 or 2 channels, live or from a file.
        case mic(channelCount: Int)
        case song

        /// The name of bus 1 on the status line, in the help on keys and in addresses; nil: there
        /// is no bus 1.
        var name: String? {
            switch self {
            case .nothing: nil
            case .mic: "mic"
            case .song: "second"
            }
        }
    }

    /// Volume, pan and mute of one bus.
    struct Strip: Sendable, Equatable {
        var volume = Volume.unity
        var pan = Pan.centre
        var isMuted = false
    }

    var second = Second.nothing
    /// Bus 0 and bus 1.
    var strips = [Strip(), Strip()]
    var panLaw = PanLaw.constantPower
    /// The volume of the sum of both buses.
    var outputVolume = Volume.unity
    /// The limiter lets nothing pass above this, in dBFS; nil: there is no limiter.
    var ceiling: Decibels? = Decibels(-0.3)
    /// Whether a microphone that howls is turned down.
    var guardsFeedback = false
    /// Whether each bus has outputs of its own, after volume and pan.
    var hasDirectOutputs = false

    init() {}

    /// The settings that the options of a command ask for.
    init(
        song: SongOptions, mic: MicOptions? = nil, second: SecondOptions? = nil,
        output: OutputOptions
    ) {
        strips[0] = Strip(volume: song.songVolume, pan: song.songPan)
        if let mic {
            self.second = .mic(channelCount: mic.stereoMic ? 2 : 1)
            strips[1] = Strip(volume: mic.micVolume, pan: mic.micPan)
        } else if let second {
            self.second = .song
            strips[1] = Strip(volume: second.secondVolume, pan: second.secondPan)
        }
        panLaw = output.panLaw
        outputVolume = output.volume
        ceiling = output.noLimiter ? nil : output.ceiling
    }

    /// The names of the buses that have outputs of their own.
    var directOutputs: [String] {
        guard hasDirectOutputs else { return [] }
        return ["song"] + (second.name.map { [$0] } ?? [])
    }

    /// The name of a bus in addresses, `/song/volume`, and on the status line.
    func name(of role: Action.BusRole) -> String? {
        role == .first ? "song" : second.name
    }
}
