import AudioGraph

/// What the options say about the mix; the keys change it while it plays.
struct MixSettings: Sendable, Equatable {
    /// What plays on bus 1.
    enum Second: Sendable, Equatable {
        case nothing
        /// A microphone of 1 or 2 channels, live or from a file.
        case mic(channelCount: Int)
        case song

        /// How the status line, the keys and the addresses call it; nil: there is no bus 1.
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
    /// After the sum.
    var outputVolume = Volume.unity
    /// Nil: no limiter.
    var ceiling: Decibels? = Decibels(-0.3)
    /// Whether a microphone that howls is turned down.
    var guardsFeedback = false

    init() {}

    /// What the options of a command say.
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

    /// The name of a bus in addresses, `/song/volume`, and on the status line.
    func name(of role: Action.BusRole) -> String? {
        role == .first ? "song" : second.name
    }
}
