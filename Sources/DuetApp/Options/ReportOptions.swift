import ArgumentParser
import Glibc
import Logging

/// In which form the program reports, and what it logs.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print events instead of the screen, one JSON object per line.")
    var json = false

    @Flag(help: "Show a status line instead of the full screen.")
    var plain = false

    @OptionGroup var log: LogOptions
}

/// `ReportOptions`, and `--levels`, which only live commands have.
struct LiveReportOptions: ParsableArguments {
    @OptionGroup var common: ReportOptions

    @Flag(help: "With --json: print levels ten times a second.")
    var levels = false

    /// Whether a user sits at a terminal, who sees the screen or the status line and has keys.
    var isAttended: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !common.json
    }

    /// Refuses what needs an option that nobody gave.
    func checkNeeds() throws {
        guard !levels || common.json else {
            throw ValidationError("--levels needs --json")
        }
    }
}

/// What is logged to standard error.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log to standard error what duet and its libraries do.")
    var verbose = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Lowest level to log: \(LogOptions.levels).", valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)),
        transform: logLevelArgument)
    var logLevel: Logger.Level?

    /// The names of all levels, in a sentence.
    fileprivate static let levels = Logger.Level.allCases.map(\.rawValue).listed("or")

    /// The level to log from; nil: log nothing.
    var level: Logger.Level? { logLevel ?? (verbose ? .debug : nil) }
}

/// Reads the name of a log level.
private func logLevelArgument(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text.lowercased()) else {
        throw ValidationError("use \(LogOptions.levels), not '\(text.prefix(40))'")
    }
    return level
}
