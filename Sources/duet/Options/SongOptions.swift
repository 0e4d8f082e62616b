import ArgumentParser

/// The song's volume, pan, place and equalizer, and whether the gain in its tags is applied.
struct SongOptions: MixOptions {
    @Option(
        of: "/song/volume",
        "Volume of the song", valueName: "volume")
    var songVolume: Assignment?

    @Option(
        of: "/song/pan",
        "Pan of the song", valueName: "pan")
    var songPan: Assignment?

    @Option(
        of: "/song/azimuth",
        "For headphones: where around your head the song is; -90 is left, 90 right",
        valueName: "degrees")
    var songAzimuth: Assignment?

    @Option(
        of: "/song/eq/preset",
        "Equalizer for the song; duet presets lists them", valueName: "preset")
    var eq: Assignment?

    @Flag(help: "Do not apply the gain that a song's tags ask for.")
    var noReplayGain = false

    var assignments: [Assignment] { [eq, songVolume, songPan, songAzimuth].compactMap { $0 } }
}
