/// The command `play`: plays songs without a microphone.
struct Play: ProgramCommand {
    static let summary = "Play songs without a microphone."
    static let usage = "[<options>] <SONG> ..."
    static let discussion = """
        Opens no microphone port. Of a take, the folder that a recording is in, it plays song and \
        voice as they were mixed.

        Keys: \(KeyTable(of: MixPlan()).summary).
        """
    static let arguments = [CommandArgument.songs(areNeeded: true)]
    static let hasKeys = true

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    static func problem(in values: OptionValues) -> OptionProblem? {
        OptionRules.stems(in: values, beside: values.words)
            ?? OptionRules.transport(in: values, beside: [values.words])
    }

    func run() throws {
        let take = try PlayedTake.find(among: options.words, isBacking: false)
        var plan = LivePlan(
            options, songs: [options.words], mix: try take == nil ? options.mix() : MixPlan(),
            remembers: take == nil)
        // What is configured for every run is not meant for a take that is played, but for the folder.
        if take != nil, !options.isTyped(.record) { plan.takes = nil }
        if let take { try plan.play(take, given: options.assignments()) }
        try LiveRun(plan).run()
    }
}
