import ArgumentParser
import AudioGraph

/// The volume and pan of the second song of `mix`.
struct SecondOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Volume of the second song: 0…4, or -6dB (default 1).", valueName: "volume"),
        transform: volumeArgument)
    var secondVolume = Volume.unity

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Pan of the second song: -1…1, or left, centre, right (default 0).", valueName: "pan"),
        transform: panArgument)
    var secondPan = Pan.centre
}
