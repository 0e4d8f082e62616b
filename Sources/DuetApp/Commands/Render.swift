import ArgumentParser
import AudioMedia

/// The command `render`: mixes a song and a voice into a file, faster than real time.
struct Render: TextCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mix a song and a recorded voice into a file.",
        discussion: """
            Renders the mix of 'duet sing', with a recorded voice instead of the microphone, faster \
            than real time. A take, the folder of a recording, is mixed again as it was sung; \
            options win over its values. It ends when song, voice, reverb and echo are over, or after --duration. \
            An existing file is replaced only when rendering succeeds. After a failure or Ctrl-C, \
            the audio rendered so far is next to it, in a file that ends in .part.
            """)

    @Argument(
        help: ArgumentHelp(
            "Take, audio file, folder, playlist, http(s) URL, or - for standard input.",
            valueName: "SONG"),
        completion: .songs, transform: songArgument)
    var songName: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Recorded voice: an audio file or http(s) URL.", valueName: "file"),
        completion: .songs, transform: songArgument)
    var voice: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move the voice: later, or earlier with a minus sign: -3600…3600 s, like 0.08 or -12ms "
                + "(default: 0, or the take's).", valueName: "time"),
        transform: voiceOffsetArgument)
    var voiceOffset: Double?

    @Option(
        name: .customLong("song"), parsing: .unconditional,
        help: ArgumentHelp(
            "The original song of a take, to change its key, tempo or vocals.", valueName: "file"),
        completion: .songs, transform: songArgument)
    var original: String?

    @Flag(help: "Mix a take as it was heard while it was recorded, bit for bit: as its mix.wav.")
    var asHeard = false

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "Output file, \(SoundContainer.endings); a pipe or device gets FLAC.",
            valueName: "file"),
        completion: .file(), transform: outputArgument)
    var output: FileName

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample rate of the file, 8000…192000 Hz (default: the song's or take's, or 44100 for -).",
            valueName: "Hz"),
        completion: .list(["44100", "48000", "96000"]), transform: rateArgument)
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample format: 16, 24 or float (default: 24; with --as-heard float in a WAV).",
            valueName: "bits"),
        completion: .list(["16", "24", "float"]), transform: bitsArgument)
    var bits: SampleFormat?

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
    @OptionGroup(title: "Song") var stems: StemOptions
    @OptionGroup(title: "Microphone") var mic: MicOptions
    @OptionGroup(title: "Output") var mixed: OutputOptions
    @OptionGroup(title: "Playback") var time: TimeOptions
    @OptionGroup(title: "Settings") var values: SetOptions
    @OptionGroup(title: "Settings") var config: ConfigurationOptions
    @OptionGroup(title: "Settings") var text: TextOptions
    @OptionGroup(title: "Screen and control") var report: ReportOptions

    static var hasKeys: Bool { false }

    /// Whether a take is mixed again.
    private var isOfTake: Bool { StoredTake.isOne(songName) }

    func passedOver(beside names: Set<String>) -> Set<String> {
        ofFormat.union(ofKind(beside: names))
    }

    /// Options that say how samples are kept, for a format that keeps none.
    private var ofFormat: Set<String> {
        OutputPlace.container(for: output)?.isLossy == true ? ["bits", "rate"] : []
    }

    private func ofKind(beside names: Set<String>) -> Set<String> {
        // A loop has no end, and without a voice there is no microphone.
        let isEndless = time.duration == nil && !names.contains("duration")
        guard isOfTake else {
            return Set(
                ["as-heard"] + (isEndless ? ["loop"] : []) + (voice == nil ? ["stereo-mic"] : []))
        }
        // A take has all its values.
        let groups: [any ParsableArguments.Type] = [
            SongOptions.self, MicOptions.self, OutputOptions.self,
        ]
        let ofMix = Set(groups.flatMap { CommandOption.all(of: $0) }.map(\.name) + ["loop"])
        guard asHeard || names.contains("as-heard") else { return ofMix }
        return ofMix.union(Self.changingOptions)
    }

    /// Options that make another sound of a take than was heard.
    private static let changingOptions = [
        "song", "voice", "voice-offset", "rate", "loudness", "start-at",
    ]

    /// Those that are given, and what changes the mix; in a configuration they do not count.
    private var changing: [String] {
        let given: [Bool] = [
            stems.files != nil, original != nil, voice != nil, voiceOffset != nil, rate != nil,
            loudness != nil,
            time.startAt != nil, mic.stereoMic, song.noReplayGain,
        ]
        let names =
            [stems.instrumental == nil ? "vocals" : "instrumental"] + Self.changingOptions
            + ["stereo-mic", "no-replay-gain"]
        let options: [any MixOptions] = [song, mic, mixed, values]
        return zip(names, given).filter { $0.1 }.map { "--" + $0.0 }
            + options.flatMap { $0.assignments }.map { $0.address }
    }

    /// What the file's format cannot have is said before anything is opened.
    private func checkFormat() throws {
        guard let container = OutputPlace.container(for: output) else { return }
        guard bits == nil || !container.isLossy else {
            throw ValidationError(
                "--bits does not go with \(container.name), which keeps no samples")
        }
        if let rate, !container.holds(rate: rate) {
            throw ValidationError(
                "\(container.name) knows no \(rate) Hz: leave --rate out, or give 48000")
        }
        guard !asHeard || !container.isLossy else {
            throw ValidationError(
                "--as-heard keeps every bit, and \(container.name) does not: use .wav or .flac")
        }
    }

    func checkNeeds() throws {
        try checkFormat()
        try stems.check(beside: [songName])
        if isOfTake {
            guard stems.files == nil || original != nil else {
                throw ValidationError(
                    "\(stems.names) needs --song with a take: the stems are the original song's")
            }
            guard !time.loop else { throw ValidationError("--loop does not go with a take") }
            if asHeard, let option = changing.first {
                throw ValidationError(
                    "--as-heard does not go with \(option): the take is mixed as it was")
            }
            return
        }
        guard !asHeard else {
            throw ValidationError("--as-heard needs a take: the folder of a recording")
        }
        guard original == nil else {
            throw ValidationError("--song needs a take: the folder of a recording")
        }
        guard voiceOffset == nil || voice != nil else {
            throw ValidationError("--voice-offset needs --voice or a take")
        }
        guard !time.loop || time.duration != nil else {
            throw ValidationError("--loop needs --duration, or it would never end")
        }
    }

    func run() throws {
        if asHeard { return try repeatRun().run() }
        try OfflineRun(request: isOfTake ? takeRequest() : songRequest()).run()
    }

    /// A take as it was heard.
    private func repeatRun() throws -> RepeatRun {
        RepeatRun(
            take: try StoredTake(songName), output: output, format: bits, period: period,
            duration: time.duration?.seconds, report: report, warnings: config.values.warnings)
    }

    /// A song, and a voice from any program.
    private func songRequest() throws -> OfflineRequest {
        let mix =
            voice == nil
            ? try MixPlan(configured: config.values.assignments, [song, mixed, values])
            : try MixPlan(
                second: mic.second, configured: config.values.assignments,
                [song, mic, mixed, values])
        return OfflineRequest(
            song: songName, stems: StemRequest(named: stems.files),
            songStart: time.startAt?.seconds ?? 0,
            voices: [voice].compactMap { $0 }, voicePlace: voiceOffset ?? 0, output: output,
            rate: rate, format: bits ?? .int24, loudness: loudness,
            period: period, mix: mix, time: time,
            ignoresReplayGain: song.noReplayGain, withoutEffect: voice == nil ? mic.given : [],
            report: report, warnings: config.values.warnings)
    }

    private func takeRequest() throws -> OfflineRequest {
        let stored = try StoredTake(songName)
        let hasVoice = voice != nil || !stored.take.mix.second.microphones.isEmpty
        let options: [any MixOptions] = [song] + (hasVoice ? [mic] : []) + [mixed, values]
        let take = try TakeMix(
            stored,
            TakeMix.Wishes(
                assignments: options.flatMap(\.assignments), song: original, voice: voice,
                isStereo: mic.stereoMic, offset: voiceOffset, start: time.startAt?.seconds ?? 0))
        var time = time
        if time.duration == nil { time.duration = take.length.map { ClockTime(seconds: $0) } }
        return OfflineRequest(
            song: take.song, stems: original.map { _ in StemRequest(named: stems.files) },
            take: stored, songStart: take.songStart,
            songPlace: take.songPlace, voices: take.voices,
            voicePlace: take.place, second: take.second, secondStart: take.start, output: output,
            rate: rate ?? take.rate, format: bits ?? .int24, loudness: loudness,
            period: period, mix: take.mix,
            changes: take.changes, given: take.given, time: time,
            ignoresReplayGain: song.noReplayGain, withoutEffect: hasVoice ? [] : mic.given,
            report: report, warnings: config.values.warnings)
    }
}
