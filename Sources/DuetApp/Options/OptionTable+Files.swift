import AudioMedia

// The options of commands that write files and lists.

extension OptionRow {
    static let voice = Option(
        "voice", .value("file"), "Recorded voice: an audio file or http(s) URL.", in: [.render],
        offers: .songs, read: songArgument)
    static let voiceOffset = Option(
        "voice-offset", .value("time"),
        "Move the voice: later, or earlier with a minus sign: -3600…3600 s, like 0.08 or -12ms "
            + "(default: 0, or the take's).", in: [.render], read: voiceOffsetArgument)
    static let original = Option(
        "song", .value("file"), "The original song of a take, to change its key, tempo or vocals.",
        in: [.render], offers: .songs, read: songArgument)
    static let asHeard = Flag(
        "as-heard",
        "Mix a take as it was heard while it was recorded, bit for bit: as its mix.wav.",
        in: [.render])
    static let output = Option(
        "output", short: "o", .value("file"),
        "Output file, \(SoundContainer.endings); a pipe or device gets FLAC.", in: [.render],
        counts: .commandLine, offers: .files([]), read: outputArgument)
    static let rate = Option(
        "rate", .value("Hz"),
        "Sample rate of the file, 8000…192000 Hz (default: the song's or take's, or 44100 for -).",
        in: [.render], level: .more, offers: .choices(["44100", "48000", "96000"]),
        read: rateArgument)
    static let bits = Option(
        "bits", .value("bits"),
        "Sample format: 16, 24 or float (default: 24; with --as-heard float in a WAV).",
        in: [.render], level: .more, offers: .choices(["16", "24", "float"]), read: bitsArgument)
    static let period = Option(
        "period", .value("frames"), "Period in frames, 1…65536 (default: 512).", in: [.render],
        level: .more, read: periodArgument)
    static let loudness = Option(
        "loudness", .value("LUFS"),
        "Bring the file to this loudness, -40…-5 LUFS; its true peak stays below -1 dBTP.",
        in: [.render], offers: .choices(["-14", "-16", "-23"]), read: loudnessArgument)

    static let dot = Flag(
        "dot", "Print for Graphviz: duet graph --dot | dot -Tsvg > graph.svg.", in: [.graph])
    static let next = Flag("next", "Insert the songs after the current one.", in: [.add])
    static let to = Option(
        "to", .value("name"),
        "JACK client name of the running duet (default: the newest).", in: [.add, .stage],
        read: anyArgument)
    static let yes = Flag("yes", "Do not ask first.", in: [.forget])
    static let keys = Flag(
        "keys", "Print the keys, including those of keys.conf.", in: [.config])
    static let listJSON = Flag(
        "json", "Print JSON.", in: [.takes, .presets, .addresses, .units, .doctor],
        counts: .commandLine)
}
