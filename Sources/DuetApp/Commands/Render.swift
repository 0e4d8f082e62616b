import ArgumentParser
import AudioMedia

/// The command `render`: mixes a song and a voice into a file, faster than real time.
struct Render: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mix a song and a recorded voice into a file.",
        discussion: """
            Renders the mix of 'duet sing', with a recorded voice instead of the microphone, faster \
            than real time. It ends when song, voice, reverb and echo are over, or after --duration. \
            An existing file is replaced only when rendering succeeds. After a failure or Ctrl-C, \
            the audio rendered so far is next to it, in a file that ends in .part.
            """)

    @Argument(
        help: ArgumentHelp(
            "Audio file, folder, playlist, http(s) URL, or - for standard input.",
            valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var songName: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Recorded voice: an audio file or http(s) URL.", valueName: "file"),
        completion: .songs, transform: songArgument)
    var voice: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "Output file, .wav or .flac; a pipe or device gets FLAC.", valueName: "file"),
        completion: .file(), transform: outputArgument)
    var output: FileName

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample rate of the file, 8000…192000 Hz (default: the song's, or 44100 for -).",
            valueName: "Hz"),
        completion: .list(["44100", "48000", "96000"]), transform: rateArgument)
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sample format: 16, 24 or float (default: 24).", valueName: "bits"),
        completion: .list(["16", "24", "float"]), transform: bitsArgument)
    var bits = SampleFormat.int24

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Period in frames, 1…65536 (default: 512).", valueName: "frames"),
        transform: periodArgument)
    var period = 512

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Bring the file to this loudness, -40…-5 LUFS; its true peak stays below -1 dBTP.",
            valueName: "LUFS"),
        completion: .list(["-14", "-16", "-23"]), transform: loudnessArgument)
    var loudness: Double?

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Microphone") var mic: MicOptions
    @OptionGroup(title: "Output") var mixed: OutputOptions
    @OptionGroup(title: "Playback") var time: TimeOptions
    @OptionGroup(title: "Settings") var values: SetOptions
    @OptionGroup(title: "Settings") var config: ConfigurationOptions
    @OptionGroup(title: "Screen and control") var report: ReportOptions

    static var hasKeys: Bool { false }

    func passedOver(beside names: Set<String>) -> Set<String> {
        // A loop has no end, and without a voice there is no microphone.
        let isEndless = time.duration == nil && !names.contains("duration")
        return Set((isEndless ? ["loop"] : []) + (voice == nil ? ["stereo-mic"] : []))
    }

    func checkNeeds() throws {
        guard !time.loop || time.duration != nil else {
            throw ValidationError("--loop needs --duration, or it would never end")
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
            song: songName, voice: voice, output: output, rate: rate, format: bits,
            loudness: loudness, period: period, mix: mix, time: time,
            ignoresReplayGain: song.noReplayGain,
            withoutEffect: voice == nil ? mic.given : [], report: report,
            warnings: config.values.warnings
        ).run()
    }
}
