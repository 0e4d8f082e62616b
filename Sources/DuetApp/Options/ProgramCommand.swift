/// A command of the program: what its help says of it, and what it does.
protocol ProgramCommand: Sendable {
    /// What it does, in a sentence.
    static var summary: String { get }
    /// How it is called, behind its name.
    static var usage: String { get }
    /// Paragraphs; the lines of one are joined where they are shown.
    static var discussion: String { get }
    /// Its words that are no options, in their order; the last one may repeat.
    static var arguments: [CommandArgument] { get }
    /// Whether keys do something while it runs.
    static var hasKeys: Bool { get }

    /// Options of the configuration that change nothing here: they are passed over without a word.
    static func ignored(in values: OptionValues) -> [OptionRow]
    /// What does not go together here, beside what `OptionRules` has; nil: nothing.
    static func problem(in values: OptionValues) -> OptionProblem?

    init(_ options: OptionValues)
    /// Carries it out. Throws `DuetError`, `Refusal` for wrong usage, `ReportedError` where the event of
    /// the error was written already, or `ExitStatus`.
    func run() throws
}

extension ProgramCommand {
    static var arguments: [CommandArgument] { [] }
    static var hasKeys: Bool { false }
    static func ignored(in values: OptionValues) -> [OptionRow] { [] }
    static func problem(in values: OptionValues) -> OptionProblem? { nil }
}

/// A word of a command that is no option.
struct CommandArgument: Sendable {
    /// As the help calls it.
    let name: String
    let help: String
    var isNeeded = true
    var mayRepeat = false
    var completion = ValueCompletion.songs
    /// Reads a word.
    var read: @Sendable (String) throws(Refusal) -> String = songArgument

    /// The songs of a command that plays one after the other.
    static func songs(areNeeded: Bool) -> CommandArgument {
        CommandArgument(
            name: "SONG",
            help: "Audio file, folder, playlist, http(s) URL, take, or - for standard input.",
            isNeeded: areNeeded, mayRepeat: true)
    }
}
