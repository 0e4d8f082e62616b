import SystemSupport

/// The command `sing`, the default: plays songs, and mixes the microphone with them.
struct Sing: ProgramCommand {
    static let summary = "Sing to songs with your microphone."
    static let usage = "[<options>] [<SONG> ...]"
    static let discussion = """
        Plays the songs in order and mixes your microphone with them. Use headphones, since \
        loudspeakers feed back into the microphone. With a take, the folder that a recording is \
        in, you sing to its song and voice, and record a duet.

        Keys: \(KeyTable(of: MixPlan(second: .mic(channelCount: 1))).summary).
        """
    // A session may bring the songs: whether it does, LivePlan finds out.
    static let arguments = [CommandArgument.songs(areNeeded: false)]
    static let hasKeys = true

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    static func problem(in values: OptionValues) -> OptionProblem? {
        if values[.resume], !values.words.isEmpty {
            return OptionProblem("--resume brings its own songs: name none", [.resume])
        }
        let kept: [OptionRow] = [
            .startAt, .lyrics, .instrumental, .vocals, .singer, .transport, .noReplayGain,
            .directOuts,
        ]
        if values[.resume], let row = kept.first(where: values.isTyped) {
            return OptionProblem("--resume does not go with --\(row.name)", [row])
        }
        if values.has(.singer), values.words.isEmpty, !values[.resume] {
            return OptionProblem("--singer needs a song that the singer sings", [.singer])
        }
        return OptionRules.stems(in: values, beside: values.words)
            ?? OptionRules.transport(in: values, beside: [values.words])
    }

    /// Whether the microphone opens without a song: only if the user typed the word `sing`, at a
    /// terminal, where keys add songs.
    private var opensWithoutSong: Bool {
        options.isAttended && CommandWords.own.texts.first == "sing"
    }

    func run() throws {
        let songs = options.words
        if options[.resume] { return try resume() }
        if songs.isEmpty, !opensWithoutSong, !SessionMember.hasManager {
            throw CommandParser.missing("SONG", .sing, CommandWords.own.texts)
        }
        let take = try PlayedTake.find(among: songs, isBacking: true)
        var plan = LivePlan(
            options, songs: [songs], opensWithoutSong: opensWithoutSong,
            mix: try options.mix(second: options.microphones, guardsFeedback: true),
            remembers: take == nil)
        if let take {
            try plan.play(take)
            plan.takes = (true, plan.takes?.folder ?? take.place)
        }
        try LiveRun(plan).run()
    }

    /// Goes on with the newest list that a run has left.
    private func resume() throws {
        let kept = ListStore.own.flatMap { store in
            BoundedCall.answer(milliseconds: 2000, unless: { Signals.isStopping }) {
                store.newest()
            }
        }
        guard let kept else {
            throw DuetError(
                status: .noInput, attempt: "cannot resume a list",
                result: "none was left in the last 30 days",
                hint: "a list of several songs is kept while you sing it at a terminal")
        }
        var plan = LivePlan(
            options, songs: [[]],
            mix: try options.mix(second: options.microphones, guardsFeedback: true))
        try plan.resume(kept)
        try LiveRun(plan).run()
    }
}
