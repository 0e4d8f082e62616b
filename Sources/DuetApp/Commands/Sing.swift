import ArgumentParser

/// The command `sing`, the default: plays songs, and mixes the microphone with them.
struct Sing: SongCommand, TextCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sing to songs with your microphone.",
        discussion: """
            Plays the songs in order and mixes your microphone with them. Use headphones, since \
            loudspeakers feed back into the microphone. With a take, the folder that a recording is \
            in, you sing to its song and voice, and record a duet.

            Keys: \(KeyTable(of: MixPlan(second: .mic(channelCount: 1))).summary).
            """)

    @Argument(
        help: ArgumentHelp(
            "Audio file, folder, playlist, http(s) URL, take, or - for standard input.",
            valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var songs: [String] = []

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Song") var stems: StemOptions
    @OptionGroup(title: "Microphone") var micPort: MicPortOptions
    @OptionGroup(title: "Microphone") var mic: MicOptions
    @OptionGroup(title: "Microphone") var secondMic: SecondMicOptions
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
        // A session may bring the songs: whether it does, LivePlan finds out.
        if songs.isEmpty, !opensWithoutSong, !SessionMember.hasManager {
            throw ValidationError("Missing expected argument '<SONG> ...'")
        }
        try stems.check(beside: songs)
        try secondMic.check(beside: mic)
        try transport.check(beside: [songs], time.common)
    }

    /// Whether the microphone opens without a song: only if the user typed the word `sing`, at a
    /// terminal, where keys add songs.
    private var opensWithoutSong: Bool {
        report.isAttended && CommandWords.own.texts.first == "sing"
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let given: [any MixOptions] = [song, mic, output, values]
        let mix = try MixPlan(
            second: secondMic.second(beside: mic), guardsFeedback: true,
            configured: config.values.assignments, given)
        let take = try PlayedTake.find(among: songs, isBacking: true)
        var plan = LivePlan(
            songs: [songs], opensWithoutSong: opensWithoutSong, mix: mix,
            memory: take == nil ? memory : nil,
            given: given,
            jack: JackRequest(
                options: jack, microphone: micPort.mic, secondMicrophone: secondMic.secondMic),
            time: time.common, rules: PlaybackRules(time, song, transport), lyrics: lyrics.lyrics,
            stems: stems.files, control: control, report: report, config: config.values)
        plan.takes = recording.takes
        if let take {
            try plan.play(take)
            plan.takes = (true, plan.takes?.folder ?? take.place)
        }
        try LiveRun(plan).run()
    }
}
