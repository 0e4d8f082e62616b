import ArgumentParser

/// The command `mix`: plays two songs at once.
struct Mix: SongCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mix two songs; there is no microphone port.",
        discussion: """
            It ends when both songs are over. Pause and seek act on both.

            Keys: \(KeyTable(of: MixPlan(second: .song)).help).
            """)

    @Argument(
        help: ArgumentHelp("The song on bus 0: an http(s) URL or a file.", valueName: "SONG"),
        transform: songArgument)
    var first: String

    @Argument(help: ArgumentHelp("The song on bus 1.", valueName: "SONG"), transform: songArgument)
    var secondSong: String

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var second: SecondOptions
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

    var songs: [String] { [first, secondSong] }

    func validate() throws {
        guard first != "-" || secondSong != "-" else {
            throw ValidationError("only one of the songs can be -, standard input")
        }
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, second, output, values]
        let plan = try LivePlan(
            songs: [[first], [secondSong]],
            mix: MixPlan(second: .song, configured: config.values.assignments, given),
            memory: memory, given: given, jack: jack,
            time: time.common, stays: time.stay.map { $0 == .stay }, between: time.between,
            transport: transport.transport,
            ignoresReplayGain: song.noReplayGain, lyrics: lyrics.lyrics,
            control: control, report: report, config: config.values)
        try LiveRun(plan).run()
    }
}
