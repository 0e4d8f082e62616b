import ArgumentParser

/// The song's volume and pan, and whether the gain in its tags is applied.
struct SongOptions: MixOptions {
    @Option(
        of: "/song/volume",
        ArgumentHelp("Volume of the song: 0…4, or -6dB (default 1).", valueName: "volume"))
    var songVolume: Assignment?

    @Option(
        of: "/song/pan",
        ArgumentHelp(
            "Pan of the song: -1…1, or left, centre, right (default 0).", valueName: "pan"))
    var songPan: Assignment?

    @Flag(help: "Do not apply the gain that a song's tags ask for.")
    var noReplayGain = false

    var assignments: [Assignment] { [songVolume, songPan].compactMap { $0 } }
}
