import ArgumentParser

/// The command `play`: plays songs without a microphone.
struct Play: SongCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play songs alone; there is no microphone port.",
        discussion: "Keys: \(KeyTable(of: MixPlan()).help).")

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL, a file, a folder, a playlist, or - (standard input), one after the other.",
            valueName: "SONG"),
        transform: songArgument)
    var songs: [String]

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var output: OutputOptions
    @OptionGroup(title: "Mix") var values: SetOptions
    @OptionGroup(title: "Lyrics") var lyrics: LyricsOptions
    @OptionGroup(title: "Time") var time: LiveTimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "JACK") var transport: TransportOptions
    @OptionGroup(title: "Memory") var memory: MemoryOptions
    @OptionGroup(title: "Configuration") var config: ConfigurationOptions
    @OptionGroup(title: "Report") var control: ControlOptions
    @OptionGroup(title: "Report") var report: LiveReportOptions

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, output, values]
        let plan = try LivePlan(
            songs: [songs], mix: MixPlan(configured: config.values.assignments, given),
            memory: memory, given: given, jack: jack,
            time: time.common, stays: time.stay.map { $0 == .stay }, between: time.between,
            transport: transport.transport,
            ignoresReplayGain: song.noReplayGain, lyrics: lyrics.lyrics,
            control: control, report: report, config: config.values)
        try LiveRun(plan).run()
    }
}
