import ArgumentParser

/// The microphone's volume, pan and number of channels, and what the song does beside it.
struct MicOptions: MixOptions {
    @Option(
        of: "/mic/volume",
        "Volume of the microphone", valueName: "volume")
    var micVolume: Assignment?

    @Option(
        of: "/mic/pan",
        "Pan of the microphone", valueName: "pan")
    var micPan: Assignment?

    @Option(
        of: "/mic/azimuth",
        "For headphones: where around your head your voice is, as --song-azimuth",
        valueName: "degrees")
    var micAzimuth: Assignment?

    @Option(
        of: "/mic/preset",
        "Effects for the microphone, without latency; duet presets lists them", valueName: "name")
    var micPreset: Assignment?

    @Option(
        of: "/song/duck",
        "Turn the song down while you sing: by 9 dB, or as --duck=-6 says",
        valueName: "dB")
    var duck: Assignment?

    @Flag(
        help: ArgumentHelp(
            "For loudspeakers: take the song out of what the microphone hears. You hear yourself "
                + "some 16 ms later."))
    var voiceProcessing = false

    @Flag(help: "Two microphone ports, mic_left and mic_right, instead of mic.")
    var stereoMic = false

    var assignments: [Assignment] {
        let processing = voiceProcessing ? try? Assignment("/mic/voice-processing", "on") : nil
        return [micPreset, micVolume, micPan, micAzimuth, duck, processing].compactMap { $0 }
    }

    /// The options that were given, as they are typed.
    var given: [String] {
        let all = [
            ("--mic-volume", micVolume != nil), ("--mic-pan", micPan != nil),
            ("--mic-azimuth", micAzimuth != nil), ("--mic-preset", micPreset != nil),
            ("--duck", duck != nil), ("--voice-processing", voiceProcessing),
            ("--stereo-mic", stereoMic),
        ]
        return all.filter(\.1).map(\.0)
    }

    /// What plays on bus 1.
    var second: MixPlan.Second { .mic(channelCount: stereoMic ? 2 : 1) }
}
