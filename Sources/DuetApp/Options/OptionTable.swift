/// The table of all options: what each is, which commands have it, where it counts and in which help it
/// stands. What goes together stands in `OptionRules`.
enum OptionTable {
    /// The options under a heading of the help.
    struct Section: Sendable {
        /// Nil: those of a single command.
        let title: String?
        let rows: [OptionRow]
    }

    static let sections = [
        Section(
            title: nil,
            rows: [
                .voice, .voiceOffset, .original, .asHeard, .output, .rate, .bits, .period,
                .loudness,
                .dot, .next, .to, .keys, .yes, .doctorServer, .doctorStart, .measure, .doctorOut,
                .doctorMic, .tryPeriods, .seconds, .listJSON,
            ]),
        Section(
            title: "Song",
            rows: [
                .key, .tempo, .varispeed, .removeVocals, .vocalsMode, .vocalsAt, .onlyVocals,
                .songVolume, .songPan, .songAzimuth, .eq, .noReplayGain, .instrumental, .vocals,
            ]),
        Section(title: "Second song", rows: [.secondVolume, .secondPan, .secondAzimuth]),
        Section(
            title: "Microphone",
            rows: [
                .mic, .micVolume, .micPan, .micAzimuth, .micPreset, .duck, .voiceProcessing,
                .stereoMic, .secondMic, .thirdMic, .fourthMic,
            ]),
        Section(title: "Output", rows: [.volume, .panLaw, .noLimiter, .ceiling]),
        Section(title: "Recording", rows: [.record]),
        Section(title: "Lyrics", rows: [.lyrics, .fetchLyrics, .lyricsServer]),
        Section(title: "Backing", rows: [.separate, .separator]),
        Section(
            title: "Playback",
            rows: [
                .startAt, .duration, .loop, .stay, .noStay, .between, .resume, .singer, .fairTurns,
                .breakMusic, .music,
            ]),
        Section(
            title: "JACK",
            rows: [
                .name, .server, .serverWait, .noStartServer, .out, .directOuts, .transport,
            ]),
        Section(
            title: "Settings",
            rows: [.set, .forget, .noMemory, .profile, .noConfig, .textEncoding]),
        Section(
            title: "Screen and control",
            rows: [.json, .plain, .letters, .verbose, .logLevel, .levels, .control, .noControl]),
    ]

    /// All options, in the order of the help.
    static let rows = sections.flatMap(\.rows)

    /// Options that set the microphone: they have no effect where there is none.
    static let ofMicrophone: [OptionRow] = [
        .micVolume, .micPan, .micAzimuth, .micPreset, .duck, .voiceProcessing, .stereoMic,
        .secondMic, .thirdMic, .fourthMic,
    ]
    /// The port of each microphone.
    static let microphones: [Option<String>] = [.mic, .secondMic, .thirdMic, .fourthMic]
    static let ofSecondSong: [OptionRow] = [.secondVolume, .secondPan, .secondAzimuth]
    static let stems: [OptionRow] = [.instrumental, .vocals]

    /// What a session keeps, and a command line that opens it cannot change.
    static let keptBySessions: [OptionRow] = [
        .loop, .startAt, .between, .transport, .directOuts, .lyrics, .instrumental, .vocals,
    ]
    /// Connections that a session has of its own, whatever songs are played.
    static let connections: [OptionRow] = [.out] + microphones

    /// The options of a command line, in the order of its help.
    static func rows(of command: CommandName) -> [OptionRow] {
        allRows(of: command).filter { $0.source != .configuration }
    }

    /// The same with those that only duet.conf has.
    static func allRows(of command: CommandName) -> [OptionRow] {
        rows.filter { $0.commands.contains(command) }
    }

    /// The options that duet.conf may have: those of all commands that read it, each name once. Those of a
    /// single command come last.
    static let configurable: [OptionRow] = {
        var names: Set<String> = []
        let own = sections.filter { $0.title == nil }.flatMap(\.rows)
        return (sections.filter { $0.title != nil }.flatMap(\.rows) + own).filter { row in
            row.source != .commandLine && !row.commands.isDisjoint(with: .configured)
                && names.insert(row.name).inserted
        }
    }()
}
