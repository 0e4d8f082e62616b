import ArgumentParser
import AudioGraph

/// The microphone's volume, pan and number of channels.
struct MicOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Volume of the microphone: 0…4, or -6dB (default 1).", valueName: "volume"),
        transform: volumeArgument)
    var micVolume = Volume.unity

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Pan of the microphone: -1…1, or left, centre, right (default 0).", valueName: "pan"),
        transform: panArgument)
    var micPan = Pan.centre

    @Flag(help: "Two microphone ports, mic_left and mic_right, instead of mic.")
    var stereoMic = false
}
