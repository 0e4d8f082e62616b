import ArgumentParser

/// The microphone's volume, pan and number of channels.
struct MicOptions: MixOptions {
    @Option(
        of: "/mic/volume",
        ArgumentHelp("Volume of the microphone: 0…4, or -6dB (default 1).", valueName: "volume"))
    var micVolume: Assignment?

    @Option(
        of: "/mic/pan",
        ArgumentHelp(
            "Pan of the microphone: -1…1, or left, centre, right (default 0).", valueName: "pan"))
    var micPan: Assignment?

    @Flag(help: "Two microphone ports, mic_left and mic_right, instead of mic.")
    var stereoMic = false

    var assignments: [Assignment] { [micVolume, micPan].compactMap { $0 } }

    /// What plays on bus 1.
    var second: MixPlan.Second { .mic(channelCount: stereoMic ? 2 : 1) }
}
