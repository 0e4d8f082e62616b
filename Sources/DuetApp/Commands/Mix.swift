import ArgumentParser

/// The command `mix`: plays two songs at once.
struct Mix: SongCommand, TextCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play two songs at once.",
        discussion: """
            Ends when both songs are over. Pause and seek act on both.

            Keys: \(KeyTable(of: MixPlan(second: .song)).summary).
            """)

    @Argument(
        help: ArgumentHelp(
            "First song: an audio file, http(s) URL, or - for standard input.", valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var first: String

    @Argument(
        help: ArgumentHelp("Second song, played at the same time.", valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var secondSong: String

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Second song") var second: SecondOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Recording") var recording: RecordOptions
    @OptionGroup(title: "Lyrics") var lyrics: LyricsOptions
    @OptionGroup(title: "Playback") var time: LiveTimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "JACK") var transport: TransportOptions
    @OptionGroup(title: "Settings") var values: SetOptions
    @OptionGroup(title: "Settings") var memory: MemoryOptions
    @OptionGroup(title: "Settings") var config: ConfigurationOptions
    @OptionGroup(title: "Settings") var text: TextOptions
    @OptionGroup(title: "Screen and control") var report: LiveReportOptions
    @OptionGroup(title: "Screen and control") var control: ControlOptions

    var songs: [String] { [first, secondSong] }

    func validate() throws {
        guard first != "-" || secondSong != "-" else {
            throw ValidationError("only one of the songs can be - (standard input)")
        }
        try transport.check(beside: [[first], [secondSong]], time.common)
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, second, output, values]
        var plan = try LivePlan(
            songs: [[first], [secondSong]],
            mix: MixPlan(second: .song, configured: config.values.assignments, given),
            memory: memory, given: given, jack: JackRequest(options: jack), time: time.common,
            rules: PlaybackRules(time, song, transport), lyrics: lyrics.lyrics, control: control,
            report: report, config: config.values)
        plan.takes = recording.takes
        try LiveRun(plan).run()
    }
}
