import AudioMedia

// The options of microphones, output and takes, and of any value.

extension OptionRow {
    static let mic = Option(
        "mic", .value("port"),
        """
        Microphone port: a name or a regular expression (POSIX extended), or none. Give it twice \
        for a second choice, or for left and right with --stereo-mic (default: the first \
        physical port).
        """, in: [.sing], level: .first("--mic capture_2", "Use another microphone port."),
        most: 2, offers: .ports, read: patternArgument)
    static let micVolume = Option(
        "mic-volume", "/mic/volume", "Microphone volume", valueName: "volume",
        in: .withMicrophone)
    static let micPan = Option(
        "mic-pan", "/mic/pan", "Microphone pan", valueName: "pan", in: .withMicrophone)
    static let micAzimuth = Option(
        "mic-azimuth", "/mic/azimuth",
        "Direction of your voice in headphones, -90 left, 90 right", valueName: "degrees",
        in: .withMicrophone, level: .more)
    static let micPreset = Option(
        "mic-preset", "/mic/preset", "Microphone effects, without added latency",
        valueName: "preset", in: .withMicrophone,
        level: .first("--mic-preset plate", "Sing with effects; 'duet presets' lists them."))
    static let duck = Option(
        "duck", "/song/duck", "Lower the song while you sing",
        values: "-40…0 dB, or -9 without a value", valueName: "dB", alone: "-9",
        in: .withMicrophone)
    static let voiceProcessing = Flag(
        "voice-processing",
        """
        Remove the song from the microphone, for singing with loudspeakers; adds 11 ms and one \
        period of latency, 16 ms in all at 256 frames or fewer.
        """, in: .withMicrophone, turnsOn: "/mic/voice-processing")
    static let stereoMic = Flag(
        "stereo-mic", "Use a stereo microphone: ports mic_left and mic_right.",
        in: .withMicrophone, level: .more)
    static let secondMic = microphone(2, "Its addresses start with /mic2.")
    static let thirdMic = microphone(3, "Needs --second-mic.", level: .more)
    static let fourthMic = microphone(4, "Needs --third-mic.", level: .more)

    private static func microphone(
        _ number: Int, _ more: String, level: HelpLevel = .common
    ) -> Option<String> {
        let microphone = Microphone.all[number - 1]
        return Option(
            microphone.option, .value("port"),
            "Microphone port for a \(microphone.ordinal) singer, as with --mic. \(more)",
            in: [.sing, .graph], level: level, offers: .ports, read: patternArgument)
    }

    static let volume = Option(
        "volume", "/out/volume", "Output volume", valueName: "volume", in: .mixing)
    static let panLaw = Option(
        "pan-law", "/out/pan-law", "Pan law", valueName: "law", in: .mixing, level: .more)
    static let noLimiter = Flag(
        "no-limiter", "Turn the limiter off; loud peaks can hurt your ears.", in: .mixing,
        level: .more, turnsOn: "/out/limiter/bypass")
    static let ceiling = Option(
        "ceiling", "/out/limiter/ceiling", "Highest output level", valueName: "dB",
        in: .mixing, level: .more)

    static let record = Option(
        "record", .optionalValue("folder", alone: "default"),
        """
        Record song, voice and mix from the start, each take in a new folder in this one \
        (default: duet in your music folder). A key (r) starts and stops recording, too.
        """, in: .players, level: .first("--record", "Record song, voice and mix from the start."),
        offers: .folders, read: folderArgument)

    static let set = Option(
        "set", .value("address=value"),
        "Set any value by its address, like /mic/pan=left; 'duet addresses' lists them.",
        in: .mixing, most: .max
    ) { text throws(Refusal) in try Assignment(text) }
}
