import ArgumentParser
import Glibc

/// The commands of the program.
enum Commands {
    static var all: [any ParsableCommand.Type] { groups.flatMap(\.subcommands) }

    /// The commands in the order of use, as the help groups them.
    static var groups: [CommandGroup] {
        [
            CommandGroup(
                name: "Main",
                subcommands: [
                    Sing.self, Play.self, Mix.self, Add.self, Render.self, Demo.self, Doctor.self,
                ]),
            CommandGroup(
                name: "Other",
                subcommands: [
                    Presets.self, Addresses.self, ConfigCommand.self, GraphCommand.self, Units.self,
                ]),
        ]
    }

    /// The commands' names, as users type them.
    static var names: [String] { all.map { $0.configuration.commandName ?? "\($0)".lowercased() } }

    /// Refuses `duet help NAME` where there is no such command: the parser would print the help of
    /// the whole program, as if that had been asked for.
    static func checkHelp(_ arguments: some Sequence<String>) throws(DuetError) {
        let words = Array(arguments)
        guard words.first == "help", words.count > 1, !words[1].hasPrefix("-"),
            !names.contains(words[1]), words[1] != "help"
        else { return }
        let near = words[1].utf8.count <= 100 ? nearest(to: words[1], among: names) : []
        throw DuetError(
            status: .usage, attempt: "no command '\(words[1].prefix(40))'", result: "",
            hint: near.isEmpty
                ? "'duet help' lists all commands" : "did you mean \(near.listed("or"))?")
    }

    /// What to say where the parser refuses an option that another command has; nil: none has it. The
    /// parser itself would name an option that is spelled alike.
    ///
    /// - Parameters:
    ///   - text: the parser's message.
    ///   - command: the name of the command that was to be run.
    static func misplacedOption(text: String, of command: String?) -> DuetError? {
        let start = "Unknown option '--"
        guard let command, text.hasPrefix(start) else { return nil }
        let name = String(text.dropFirst(start.count).prefix { $0 != "'" && $0 != "=" })
        let others = zip(names, all).filter { _, type in
            CommandOption.all(of: type).contains { $0.name == name }
        }.map(\.0)
        guard !others.isEmpty, !others.contains(command) else { return nil }
        let microphone: [any ParsableArguments.Type] = [
            MicOptions.self, MicPortOptions.self, SecondMicOptions.self,
        ]
        let lacksMicrophone =
            ["play", "mix"].contains(command)
            && microphone.contains { CommandOption.all(of: $0).contains { $0.name == name } }
        return lacksMicrophone
            ? DuetError(
                status: .usage, attempt: "'duet \(command)' has no microphone", result: "",
                hint: "use --\(name) with 'duet sing'")
            : DuetError(
                status: .usage, attempt: "'duet \(command)' has no option --\(name)", result: "",
                hint: "use it with \(others.map { "'duet \($0)'" }.listed("or"))")
    }

    /// Refuses a first word that is nearly the name of a command, unless there is such a file: in
    /// `duet rendr song.mp3`, `rendr` would be read as a song. Songs need no `sing` before them, so
    /// that a song called `song` is not taken for it.
    static func checkCommand(_ arguments: some Sequence<String>) throws(DuetError) {
        guard let word = Array(arguments.prefix(1)).first, word.utf8.count <= 100,
            word.allSatisfy(\.isLetter), !names.contains(word), word != "help",
            access(word, F_OK) != 0
        else { return }
        let near = nearest(to: word, among: names.filter { $0 != "sing" })
        guard !near.isEmpty else { return }
        throw DuetError(
            status: .usage, attempt: "no command or song '\(word)'", result: "",
            hint: "did you mean \(near.listed("or"))?")
    }

    /// Refuses songs with the name of a command, unless there are such files: in
    /// `duet --loop play song.mp3`, `play` is read as a song.
    static func checkSongs(of command: some SongCommand) throws(DuetError) {
        let names = names
        for song in command.songs where names.contains(song) && access(song, F_OK) != 0 {
            throw DuetError(
                status: .usage, attempt: "no song '\(song)'", result: "",
                hint: "put the command first: duet \(song) …")
        }
    }
}
