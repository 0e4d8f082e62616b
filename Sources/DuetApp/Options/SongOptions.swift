import ArgumentParser

/// The song's volume, pan, place, equalizer, key, tempo and voice, and whether the gain in its tags is
/// applied.
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

    @Option(
        of: "/song/key",
        "How much higher the song is; its tempo stays", valueName: "semitones")
    var key: Assignment?

    @Option(
        of: "/song/tempo",
        "How fast the song is played; its pitch stays", valueName: "percent")
    var tempo: Assignment?

    @Option(
        of: "/song/varispeed",
        "How fast the song is played, as a tape: its pitch moves, too", valueName: "percent")
    var varispeed: Assignment?

    @Option(
        of: "/song/vocals/remove",
        "Take the voice out of the song: all of it, or as much as --remove-vocals=70 says",
        valueName: "percent")
    var removeVocals: Assignment?

    @Option(
        of: "/song/vocals/mode",
        "How the voice is found: by what the sides have in common, or left minus right",
        valueName: "mode")
    var vocalsMode: Assignment?

    @Option(of: "/song/vocals/at", "Where the voice is in the song", valueName: "pan")
    var vocalsAt: Assignment?

    @Flag(
        help: ArgumentHelp(
            "Play nothing but the song's voice, to learn a line; in the plain mode all that is in "
                + "the middle."))
    var onlyVocals = false

    @Flag(help: "Do not apply the gain that a song's tags ask for.")
    var noReplayGain = false

    var assignments: [Assignment] {
        let only = onlyVocals ? try? Assignment("/song/vocals/only", "on") : nil
        return [
            eq, songVolume, songPan, songAzimuth, key, tempo, varispeed, removeVocals, vocalsMode,
            vocalsAt, only,
        ].compactMap { $0 }
    }
}
