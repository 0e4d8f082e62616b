import ArgumentParser

/// The command `mix`: plays two songs at once.
struct Mix: SongCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mix two songs; there is no microphone port.",
        discussion: """
            It ends when both songs are over. Pause and seek act on both.

            Keys: \(KeyMap.help(second: "second song")).
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
    @OptionGroup(title: "Time") var time: LiveTimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "JACK") var transport: TransportOptions
    @OptionGroup(title: "Report") var report: LiveReportOptions

    var songs: [String] { [first, secondSong] }

    func validate() throws {
        guard first != "-" || secondSong != "-" else {
            throw ValidationError("only one of the songs can be -, standard input")
        }
    }

    func run() throws {
        let plan = LivePlan(
            songs: [[first], [secondSong]],
            settings: MixSettings(song: song, second: second, output: output), jack: jack,
            time: time.common, stays: time.stay, transport: transport.transport,
            ignoresReplayGain: song.noReplayGain, report: report)
        try LiveRun(plan).run()
    }
}
