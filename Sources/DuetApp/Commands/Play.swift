import ArgumentParser

/// The command `play`: plays songs without a microphone.
struct Play: SongCommand, TextCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play songs without a microphone.",
        discussion: """
            Opens no microphone port. Of a take, the folder that a recording is in, it plays song and \
            voice as they were mixed.

            Keys: \(KeyTable(of: MixPlan()).summary).
            """)

    @Argument(
        help: ArgumentHelp(
            "Audio file, folder, playlist, http(s) URL, take, or - for standard input.",
            valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var songs: [String]

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Song") var stems: StemOptions
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

    func validate() throws {
        try stems.check(beside: songs)
        try transport.check(beside: [songs], time.common)
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, output, values]
        let take = try PlayedTake.find(among: songs, isBacking: false)
        var plan = try LivePlan(
            songs: [songs],
            mix: take == nil ? MixPlan(configured: config.values.assignments, given) : MixPlan(),
            memory: take == nil ? memory : nil, given: given,
            jack: JackRequest(options: jack), time: time.common,
            rules: PlaybackRules(time, song, transport), lyrics: lyrics.lyrics,
            stems: stems.files, control: control, report: report, config: config.values)
        // What is configured for every run is not meant for a take that is played, but for the folder.
        plan.takes =
            take != nil && config.values.names.contains("record") ? nil : recording.takes
        if let take { try plan.play(take, given: given) }
        try LiveRun(plan).run()
    }
}
