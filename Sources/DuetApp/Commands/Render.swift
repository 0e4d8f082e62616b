import ArgumentParser
import AudioMedia

/// The command `render`: mixes a song and a voice into a file, faster than real time.
struct Render: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mix a song and a voice into a file, faster than real time.",
        discussion: """
            Renders the graph of 'sing', with the voice in place of the microphone. The file is \
            the same, bit for bit, with every --period. Rendering ends when song and voice are \
            both over and no reverb or echo is heard any more (60 s later at most), or after \
            --duration, at once and without a fade. An older file of that name is replaced at the \
            end. After a failure or Ctrl-C it stays as it was, and what was rendered until then is \
            beside it, in a file that ends in .part.
            """)

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL of an MP3, a file (MP3, FLAC, WAV, Ogg), a folder, or a playlist.",
            valueName: "SONG"),
        transform: songArgument)
    var songName: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The recorded voice: a URL of an MP3, or a file.", valueName: "file"),
        transform: songArgument)
    var voice: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "The file to write: .wav or .flac; a pipe or a device gets FLAC.", valueName: "file"),
        transform: outputArgument)
    var output: FileName

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Rate of the file in Hz (default: the song's; 44100 for -).", valueName: "Hz"),
        transform: rateArgument)
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Bits a sample: 16, 24 (default) or float.", valueName: "bits"),
        transform: bitsArgument)
    var bits = SampleFormat.int24

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Frames rendered at once (default 512).", valueName: "frames"),
        transform: periodArgument)
    var period = 512

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var mic: MicOptions
    @OptionGroup(title: "Mix") var mixed: OutputOptions
    @OptionGroup(title: "Mix") var values: SetOptions
    @OptionGroup(title: "Time") var time: TimeOptions
    @OptionGroup(title: "Configuration") var config: ConfigurationOptions
    @OptionGroup(title: "Report") var report: ReportOptions

    static var hasKeys: Bool { false }

    func passedOver(beside names: Set<String>) -> Set<String> {
        // A loop has no end, and without a voice there is no microphone.
        let isEndless = time.duration == nil && !names.contains("duration")
        return Set((isEndless ? ["loop"] : []) + (voice == nil ? ["stereo-mic"] : []))
    }

    func checkNeeds() throws {
        guard !time.loop || time.duration != nil else {
            throw ValidationError("--loop has no end: give --duration too")
        }
    }

    func run() throws {
        let mix =
            voice == nil
            ? try MixPlan(configured: config.values.assignments, [song, mixed, values])
            : try MixPlan(
                second: mic.second, configured: config.values.assignments,
                [song, mic, mixed, values])
        try OfflineRun(
            song: songName, voice: voice, output: output, rate: rate, format: bits, period: period,
            mix: mix, time: time, ignoresReplayGain: song.noReplayGain,
            withoutEffect: voice == nil ? mic.given : [], report: report,
            warnings: config.values.warnings
        ).run()
    }
}
