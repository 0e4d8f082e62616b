import ArgumentParser

/// The song's volume, pan, place, equalizer, key, tempo and voice, and whether the gain in its tags is
/// applied.
struct SongOptions: MixOptions {
    @Option(
        of: "/song/key",
        "Transpose the song without changing its tempo", valueName: "semitones")
    var key: Assignment?

    @Option(
        of: "/song/tempo",
        "Change the tempo without changing the pitch", valueName: "percent")
    var tempo: Assignment?

    @Option(
        of: "/song/varispeed",
        "Change tempo and pitch together, like a tape", valueName: "percent")
    var varispeed: Assignment?

    @Option(
        of: "/song/vocals/remove",
        "Remove the vocals", values: "0…100 %, or 100 without a value", valueName: "percent")
    var removeVocals: Assignment?

    @Option(
        of: "/song/vocals/mode",
        "How to remove vocals",
        values: "spectral keeps bass and drums, plain is left minus right", valueName: "mode")
    var vocalsMode: Assignment?

    @Option(of: "/song/vocals/at", "Pan of the vocals in the song", valueName: "pan")
    var vocalsAt: Assignment?

    @Flag(help: "Play only the vocals, to learn your part.")
    var onlyVocals = false

    @Option(
        of: "/song/volume",
        "Song volume", valueName: "volume")
    var songVolume: Assignment?

    @Option(
        of: "/song/pan",
        "Song pan", valueName: "pan")
    var songPan: Assignment?

    @Option(
        of: "/song/azimuth",
        "Direction of the song in headphones, -90 left, 90 right", valueName: "degrees")
    var songAzimuth: Assignment?

    @Option(
        of: "/song/eq/preset",
        "Equalizer preset for the song", values: "a name that 'duet presets' lists",
        valueName: "preset")
    var eq: Assignment?

    @Flag(help: "Ignore the ReplayGain in the song's tags.")
    var noReplayGain = false

    var assignments: [Assignment] {
        let only = onlyVocals ? try? Assignment("/song/vocals/only", "on") : nil
        return [
            eq, songVolume, songPan, songAzimuth, key, tempo, varispeed, removeVocals, vocalsMode,
            vocalsAt, only,
        ].compactMap { $0 }
    }
}
