import AudioMedia
import Glibc
import SystemSupport

#if !(Conversion && Spatial && Speech)
#error("duet itself needs all traits of its package")
#endif

/// The program: reads the command line, runs one command, and ends with its exit code.
package func runDuet() { Duet.main() }

enum Duet {
    static func main() {
        Clock.start()
        // Without what only songs and options need.
        if CommandLine.arguments.dropFirst() == ["--version"] { printVersion() }
        // Before anything asks which presets there are.
        let (presets, presetWarnings) = PresetFolder.own?.read() ?? ([], [])
        OwnPreset.all.withLock { $0 = presets }
        let words = CommandWords.own.texts
        var tellsEvents = words.prefix { $0 != "--" }.contains("--json")
        var command = words.first.flatMap(CommandName.init) ?? .sing
        do {
            if let refusal = CommandWords.own.refusal { throw refusal }
            var options = try read(words)
            command = options.command
            options.configured.warnings = presetWarnings
            options = try options.configured(in: UserFolder.configuration) {
                tellsEvents = tellsEvents || $0[.json]
            }
            TakesFolder.configured.withLock { $0 = options.configured.takesFolder }
            if let encoding = options[.textEncoding] { _ = TextEncoding.assume(encoding) }
            if Set<CommandName>.players.contains(command) { try Commands.checkSongs(options.words) }
            try command.type.init(options).run()
            exit(0)
        } catch let error as DuetError {
            end(error, tellsEvents)
        } catch let refusal as Refusal {
            end(CommandParser.usage(refusal.reason, see: command), tellsEvents)
        } catch let status as ExitStatus {
            exit(status.rawValue)
        } catch let reported as ReportedError {
            complain(reported.error)
        } catch {
            end(
                DuetError(status: .failure, attempt: "\(error)", result: "", hint: ""), tellsEvents)
        }
    }

    /// What the command line asks for. Prints help and version, and ends, where they are asked for.
    private static func read(_ words: [String]) throws(DuetError) -> OptionValues {
        try DashedName.check(words)
        try Commands.checkCommand(words)
        let misplaced = MisplacedValue.find(in: words, isTake: StoredTake.isOne)
        switch try CommandParser.read(misplaced?.meant ?? words) {
        case .version: printVersion()
        case .help(let command, let isWhole):
            // Help is no error: the user asked for it.
            Output.standard.write(HelpText.own.text(of: command, isWhole: isWhole) + "\n")
            exit(0)
        case .helpForPrograms:
            Output.standard.write(HelpText.json.encoded + "\n")
            exit(0)
        case .run(let options):
            // An option that the command has not, or a value that it does not take, comes first.
            if let misplaced { throw misplaced.error }
            return options
        }
    }

    private static func printVersion() -> Never {
        Output.standard.write(Version.text + "\n")
        exit(0)
    }

    /// Writes `error` to standard error, and if `tellsEvents` (`--json`) as an event too, and ends.
    private static func end(_ error: DuetError, _ tellsEvents: Bool) -> Never {
        if error.status == .success { exit(0) }
        let error = CommandWords.own.readable(error)
        if tellsEvents {
            Output.standard.write(error.event.json(time: Clock.seconds), .last)
        }
        complain(error)
    }

    /// Writes `error` to standard error, and ends.
    private static func complain(_ error: DuetError) -> Never {
        Output.error.write("duet: \(error.line)\n", .last)
        Output.drain()
        quick_exit(error.status.rawValue)
    }

    /// Ends when all output is written: with `code`, or with 74 where writing failed.
    ///
    /// By quick_exit, which runs no exit handlers of libraries: threads that were left behind in a call
    /// that hangs may use a library still.
    private static func exit(_ code: Int32) -> Never {
        Output.drain()
        if let failure = Output.standard.failure, !Signals.isStopping {
            complain(.outputLost(failure))
        }
        quick_exit(code)
    }
}
