import ArgumentParser
import Logging

/// In which form the program reports, and what it logs.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Events on standard output, one JSON object a line.")
    var json = false

    @Flag(help: "A status line instead of the screen.")
    var plain = false

    @OptionGroup var log: LogOptions
}

/// `ReportOptions`, and `--levels`, which only live commands have.
struct LiveReportOptions: ParsableArguments {
    @OptionGroup var common: ReportOptions

    @Flag(help: "With --json: levels too, ten a second.")
    var levels = false

    /// Refuses what needs an option that nobody gave.
    func checkNeeds() throws {
        guard !levels || common.json else {
            throw ValidationError("--levels needs --json: it adds events to it")
        }
    }
}

/// What is logged to standard error.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log what happens, and what the libraries say.")
    var verbose = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Log from this level on: trace, debug, info, notice, warning, error, critical.",
            valueName: "level"),
        transform: logLevelArgument)
    var logLevel: Logger.Level?

    /// The level to log from; nil: log nothing.
    var level: Logger.Level? { logLevel ?? (verbose ? .debug : nil) }
}

/// Reads the name of a log level.
private func logLevelArgument(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text.lowercased()) else {
        let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("a log level is one of \(names)")
    }
    return level
}
