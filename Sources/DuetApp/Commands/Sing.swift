import ArgumentParser

/// The command `sing`, the default: plays songs, and mixes the microphone with them.
struct Sing: SongCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play songs and sing to them (the default command).",
        discussion: """
            The song is on bus 0, the microphone on bus 1. Use headphones: the microphone goes \
            to the output.

            Keys: \(KeyTable(of: MixPlan(second: .mic(channelCount: 1))).help).
            """)

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL, a file, a folder, a playlist, or - (standard input), one after the other.",
            valueName: "SONG"),
        transform: songArgument)
    var songs: [String] = []

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var mic: MicOptions
    @OptionGroup(title: "Mix") var output: OutputOptions
    @OptionGroup(title: "Mix") var values: SetOptions
    @OptionGroup(title: "Lyrics") var lyrics: LyricsOptions
    @OptionGroup(title: "Time") var time: LiveTimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "JACK") var transport: TransportOptions
    @OptionGroup(title: "JACK") var micPort: MicPortOptions
    @OptionGroup(title: "JACK") var secondMic: SecondMicOptions
    @OptionGroup(title: "Memory") var memory: MemoryOptions
    @OptionGroup(title: "Configuration") var config: ConfigurationOptions
    @OptionGroup(title: "Report") var control: ControlOptions
    @OptionGroup(title: "Report") var report: LiveReportOptions

    func validate() throws {
        if songs.isEmpty, !SessionMember.hasManager {
            throw ValidationError("Missing expected argument '<SONG> ...'")
        }
        try secondMic.check(beside: mic)
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, mic, output, values]
        let mix = try MixPlan(
            second: secondMic.second(beside: mic), guardsFeedback: true,
            configured: config.values.assignments, given)
        let plan = LivePlan(
            songs: [songs], mix: mix, memory: memory, given: given, jack: jack,
            micPatterns: micPort.mic,
            secondMicPattern: secondMic.secondMic, time: time.common,
            stays: time.stay.map { $0 == .stay },
            between: time.between,
            transport: transport.transport,
            ignoresReplayGain: song.noReplayGain, lyrics: lyrics.lyrics,
            control: control, report: report, config: config.values)
        try LiveRun(plan).run()
    }
}
