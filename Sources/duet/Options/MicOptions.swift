import ArgumentParser

/// The microphone's volume, pan and number of channels.
struct MicOptions: MixOptions {
    @Option(
        of: "/mic/volume",
        "Volume of the microphone", valueName: "volume")
    var micVolume: Assignment?

    @Option(
        of: "/mic/pan",
        "Pan of the microphone", valueName: "pan")
    var micPan: Assignment?

    @Flag(help: "Two microphone ports, mic_left and mic_right, instead of mic.")
    var stereoMic = false

    var assignments: [Assignment] { [micVolume, micPan].compactMap { $0 } }

    /// What plays on bus 1.
    var second: MixPlan.Second { .mic(channelCount: stereoMic ? 2 : 1) }
}
