import AudioMedia

/// The command `render`: mixes a song and a voice into a file, faster than real time.
struct Render: ProgramCommand {
    static let summary = "Mix a song and a recorded voice into a file."
    static let usage = "[<options>] <SONG> --output <file>"
    static let discussion = """
        Renders the mix of 'duet sing', with a recorded voice instead of the microphone, faster \
        than real time. A take, the folder of a recording, is mixed again as it was sung; \
        options win over its values. It ends when song, voice, reverb and echo are over, or after --duration. \
        An existing file is replaced only when rendering succeeds. After a failure or Ctrl-C, \
        the audio rendered so far is next to it, in a file that ends in .part.
        """
    static let arguments = [
        CommandArgument(
            name: "SONG",
            help: "Take, audio file, folder, playlist, http(s) URL, or - for standard input.")
    ]

    /// Options that make another sound of a take than was heard.
    private static let changing: [OptionRow] =
        OptionTable.stems
        + [.original, .voice, .voiceOffset, .rate, .loudness, .startAt, .stereoMic, .noReplayGain]

    let options: OptionValues
    private let song: String
    private let output: FileName

    init(_ options: OptionValues) {
        guard let song = options.words.first, let output = options[.output] else {
            preconditionFailure("the parser refuses a command line without them")
        }
        (self.options, self.song, self.output) = (options, song, output)
    }

    // MARK: What goes together

    /// Whether a take is mixed again.
    private static func isOfTake(_ values: OptionValues) -> Bool {
        values.words.first.map { StoredTake.isOne($0) } ?? false
    }

    private static func container(of values: OptionValues) -> SoundContainer? {
        values[.output].flatMap { OutputPlace.container(for: $0) }
    }

    static func ignored(in values: OptionValues) -> [OptionRow] {
        // A format that keeps no samples; a loop without an end; no voice, no microphone.
        let ofFormat: [OptionRow] = container(of: values)?.isLossy == true ? [.bits, .rate] : []
        guard isOfTake(values) else {
            return ofFormat + [.asHeard] + (values.has(.duration) ? [] : [.loop])
                + (values.has(.voice) ? [] : [.stereoMic])
        }
        // A take has all its values.
        return ofFormat + [.loop, .stereoMic, .noReplayGain]
            + (values[.asHeard] ? changing : [])
    }

    static func problem(in values: OptionValues) -> OptionProblem? {
        formatProblem(in: values) ?? OptionRules.stems(in: values, beside: values.words)
            ?? (isOfTake(values) ? takeProblem(in: values) : songProblem(in: values))
    }

    /// What the file's format cannot have is said before anything is opened.
    private static func formatProblem(in values: OptionValues) -> OptionProblem? {
        guard let container = container(of: values) else { return nil }
        if values.has(.bits), container.isLossy {
            return OptionProblem(
                "--bits does not go with \(container.name), which keeps no samples", [.bits])
        }
        if let rate = values[.rate], !container.holds(rate: rate) {
            return OptionProblem(
                "\(container.name) knows no \(rate) Hz: leave --rate out, or give 48000", [.rate])
        }
        return values[.asHeard] && container.isLossy
            ? OptionProblem(
                "--as-heard keeps every bit, and \(container.name) does not: use .wav or .flac",
                [.asHeard]) : nil
    }

    private static func takeProblem(in values: OptionValues) -> OptionProblem? {
        if values.stems != nil, !values.has(.original) {
            let names = values.names(among: OptionTable.stems).joined(separator: " and ")
            return OptionProblem(
                "\(names) needs --song with a take: the stems are the original song's",
                OptionTable.stems)
        }
        if values[.loop] { return OptionProblem("--loop does not go with a take", [.loop]) }
        let others = values.names(among: changing) + values.assignments().map(\.address)
        return values[.asHeard]
            ? others.first.map {
                OptionProblem(
                    "--as-heard does not go with \($0): the take is mixed as it was", [.asHeard])
            } : nil
    }

    private static func songProblem(in values: OptionValues) -> OptionProblem? {
        for row in [OptionRow.asHeard, .original] where values.has(row) {
            return OptionProblem("--\(row.name) needs a take: the folder of a recording", [row])
        }
        if values.has(.voiceOffset), !values.has(.voice) {
            return OptionProblem("--voice-offset needs --voice or a take", [.voiceOffset])
        }
        return values[.loop] && !values.has(.duration)
            ? OptionProblem("--loop needs --duration, or it would never end", [.loop]) : nil
    }

    // MARK: Rendering

    func run() throws {
        if options[.asHeard] { return try repeatRun().run() }
        try OfflineRun(request: Self.isOfTake(options) ? takeRequest() : songRequest()).run()
    }

    private var period: Int { options[.period] ?? 512 }
    private var start: Double { options[.startAt]?.seconds ?? 0 }

    /// A take as it was heard.
    private func repeatRun() throws -> RepeatRun {
        RepeatRun(
            take: try StoredTake(song), output: output, format: options[.bits], period: period,
            duration: options[.duration]?.seconds, report: options.report,
            warnings: options.configured.warnings)
    }

    private var stemRequest: StemRequest {
        StemRequest(named: options.stems, separated: StemsCache.own?.stems)
    }

    /// A song, and a voice from any program.
    private func songRequest() throws -> OfflineRequest {
        let voice = options[.voice]
        let mix =
            try voice == nil
            ? options.mix(without: OptionTable.ofMicrophone)
            : options.mix(second: options.microphones)
        return OfflineRequest(
            song: song, stems: stemRequest, songStart: start,
            voices: [voice].compactMap { $0 }, voicePlace: options[.voiceOffset] ?? 0,
            output: output, rate: options[.rate], format: options[.bits] ?? .int24,
            loudness: options[.loudness], period: period, mix: mix,
            duration: options[.duration]?.seconds, loops: options[.loop],
            ignoresReplayGain: options[.noReplayGain],
            withoutEffect: unused(hasVoice: voice != nil),
            report: options.report, warnings: options.configured.warnings)
    }

    private func takeRequest() throws -> OfflineRequest {
        let stored = try StoredTake(song)
        let (original, voice) = (options[.original], options[.voice])
        let hasVoice = voice != nil || !stored.take.mix.second.microphones.isEmpty
        let take = try TakeMix(
            stored,
            TakeMix.Wishes(
                assignments: options.assignments(
                    without: hasVoice ? [] : OptionTable.ofMicrophone),
                song: original, voice: voice, isStereo: options[.stereoMic],
                offset: options[.voiceOffset], start: start))
        return OfflineRequest(
            song: take.song, stems: original.map { _ in stemRequest },
            take: stored, songStart: take.songStart,
            songPlace: take.songPlace, voices: take.voices,
            voicePlace: take.place, second: take.second, secondStart: take.start, output: output,
            rate: options[.rate] ?? take.rate, format: options[.bits] ?? .int24,
            loudness: options[.loudness], period: period, mix: take.mix, changes: take.changes,
            given: take.given, duration: options[.duration]?.seconds ?? take.length,
            ignoresReplayGain: options[.noReplayGain], withoutEffect: unused(hasVoice: hasVoice),
            report: options.report, warnings: options.configured.warnings)
    }

    /// Options that change nothing without a voice.
    private func unused(hasVoice: Bool) -> [String] {
        hasVoice ? [] : options.names(among: OptionTable.ofMicrophone)
    }
}
