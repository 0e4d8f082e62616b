import ArgumentParser
import AudioMedia
import Glibc
import SystemSupport

#if !(Conversion && Spatial && Speech)
#error("duet itself needs all traits of its package")
#endif

/// The program: reads the command line, runs one command, and ends with its exit code.
package func runDuet() { Duet.main() }

/// The command line without a command.
struct Duet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet",
        abstract: "Sing along: mix your microphone with songs, live, through JACK.",
        usage: "duet [<options>] <SONG> ...\nduet <command> ...",
        discussion: """
            To begin, put on headphones and run 'duet demo' to listen, or 'duet SONG' to sing. SONG is \
            an audio file, a folder, a playlist, an http(s) URL, or - for standard input.

            Keys: \(KeyTable(of: MixPlan(second: .mic(channelCount: 1))).summary).
            """,
        version: Version.text,
        groupedSubcommands: Commands.groups,
        defaultSubcommand: Sing.self)

    static func main() {
        Clock.start()
        // Without what only songs and options need.
        if CommandLine.arguments.dropFirst() == ["--version"] {
            Output.standard.write(Version.text + "\n")
            exit(0)
        }
        // Before anything asks which presets there are.
        let (presets, presetWarnings) = PresetFolder.own?.read() ?? ([], [])
        OwnPreset.all.withLock { $0 = presets }
        let arguments = CommandWords.own.texts
        var tellsEvents = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            if let refusal = CommandWords.own.refusal { throw refusal }
            try DashedName.check(arguments)
            try Commands.checkHelp(arguments)
            try Commands.checkCommand(arguments)
            if let refusal = OptionalValue.emptyValue(in: arguments) { throw refusal }
            if let misuse = OptionalValue.misuse(
                in: arguments, commands: Commands.names, isTake: StoredTake.isOne)
            {
                // An option that the command has not, or a value that it does not take, comes first.
                _ = try parseAsRoot(OptionalValue.complete(misuse.meant))
                throw misuse.error
            }
            var command = try parseAsRoot(OptionalValue.complete(arguments))
            if let configured = command as? any ConfiguredCommand {
                let words = OptionalValue.complete(
                    Commands.names.contains(arguments.first ?? "")
                        ? arguments.dropFirst() : arguments[...])
                var whole = try configured.configured(
                    in: UserFolder.configuration, beside: words, commands: ConfiguredCommands.all)
                tellsEvents = tellsEvents || whole.config.values.names.contains("json")
                whole.config.values.warnings += presetWarnings
                try whole.checkNeeds()
                TakesFolder.configured.withLock { $0 = whole.config.values.takesFolder }
                command = whole
            }
            if let encoding = (command as? any TextCommand)?.text.textEncoding {
                _ = TextEncoding.assume(encoding)
            }
            if let command = command as? any SongCommand { try Commands.checkSongs(of: command) }
            try command.run()
            exit(0)
        } catch let error as DuetError {
            end(error, tellsEvents)
        } catch let code as ExitCode {
            exit(code.rawValue)
        } catch let reported as ReportedError {
            complain(reported.error)
        } catch {
            let code = exitCode(for: error)
            // Help and version are no errors: the user asked for them.
            if code.isSuccess {
                Output.standard.write(ParserText.help(fullMessage(for: error)) + "\n")
                exit(0)
            }
            guard code == .validationFailure else {
                end(
                    DuetError(status: .failure, attempt: message(for: error), result: "", hint: ""),
                    tellsEvents)
            }
            let unknown = Commands.unknownOption(
                text: message(for: error), in: arguments, of: commandName)
            if let unknown { end(unknown, tellsEvents) }
            let text = ParserText.refusal(message(for: error))
            let help = Self.commandName.map { "duet help \($0)" } ?? "duet --help"
            // A user who typed the program's name alone gets examples.
            let example = arguments.isEmpty ? "try 'duet song.mp3' or 'duet demo'; " : ""
            end(
                DuetError(
                    status: .usage, attempt: text, result: "",
                    hint: text.hasSuffix("?") ? "" : example + "see '\(help)'"), tellsEvents)
        }
    }

    /// The command that the arguments begin with; `sing` where they begin with no command.
    private static var commandName: String? {
        guard let first = CommandWords.own.texts.first else { return nil }
        return Commands.names.contains(first) ? first : "sing"
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
