import ArgumentParser

/// The microphone's volume, pan and number of channels, and what the song does beside it.
struct MicOptions: MixOptions {
    @Option(
        of: "/mic/volume",
        "Microphone volume", valueName: "volume")
    var micVolume: Assignment?

    @Option(
        of: "/mic/pan",
        "Microphone pan", valueName: "pan")
    var micPan: Assignment?

    @Option(
        of: "/mic/azimuth",
        "Direction of your voice in headphones, -90 left, 90 right",
        valueName: "degrees")
    var micAzimuth: Assignment?

    @Option(
        of: "/mic/preset",
        "Microphone effects, without added latency", valueName: "preset")
    var micPreset: Assignment?

    @Option(
        of: "/song/duck",
        "Lower the song while you sing", values: "-40…0 dB, or -9 without a value",
        valueName: "dB")
    var duck: Assignment?

    @Flag(
        help: """
            Remove the song from the microphone, for singing with loudspeakers; adds 11 ms and one \
            period of latency, 16 ms in all at 256 frames or fewer.
            """)
    var voiceProcessing = false

    @Flag(help: "Use a stereo microphone: ports mic_left and mic_right.")
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
