import ArgumentParser
import AudioGraph

/// The song's volume and pan, and whether the gain in its tags is applied.
struct SongOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Volume of the song: 0…4, or -6dB (default 1).", valueName: "volume"),
        transform: volumeArgument)
    var songVolume = Volume.unity

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Pan of the song: -1…1, or left, centre, right (default 0).", valueName: "pan"),
        transform: panArgument)
    var songPan = Pan.centre

    @Flag(help: "Do not apply the gain that a song's tags ask for.")
    var noReplayGain = false
}
