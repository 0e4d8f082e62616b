/// The command `mix`: plays two songs at once.
struct Mix: ProgramCommand {
    static let summary = "Play two songs at once."
    static let usage = "[<options>] <SONG> <SONG>"
    static let discussion = """
        Ends when both songs are over. Pause and seek act on both.

        Keys: \(KeyTable(of: MixPlan(second: .song)).summary).
        """
    static let arguments = [
        CommandArgument(
            name: "SONG",
            help: "First song: an audio file, http(s) URL, or - for standard input."),
        CommandArgument(name: "SONG", help: "Second song, played at the same time."),
    ]
    static let hasKeys = true

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    static func problem(in values: OptionValues) -> OptionProblem? {
        guard values.words != ["-", "-"] else {
            return OptionProblem("only one of the songs can be - (standard input)", [])
        }
        return OptionRules.transport(in: values, beside: values.words.map { [$0] })
    }

    func run() throws {
        try StoredTake.refuse(among: options.words, "mix") {
            "mix it again with: duet render \($0) -o mix.flac"
        }
        let plan = LivePlan(
            options, songs: options.words.map { [$0] }, mix: try options.mix(second: .song))
        try LiveRun(plan).run()
    }
}
