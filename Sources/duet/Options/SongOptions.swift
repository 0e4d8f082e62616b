import ArgumentParser
import AudioGraph

/// How loud the song is, and where it stands.
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
