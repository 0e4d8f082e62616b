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
                    Sing.self, Play.self, Mix.self, Add.self, Render.self, Takes.self, Demo.self,
                    Doctor.self,
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

    /// What to say where the parser refuses an option that the command does not have, or misses a song
    /// although there is such an option; nil: neither.
    ///
    /// - Parameters:
    ///   - text: the parser's message.
    ///   - arguments: the command line.
    ///   - command: the name of the command that was to be run.
    static func unknownOption(
        text: String, in arguments: [String], of command: String?
    ) -> DuetError? {
        guard let command, let type = zip(names, all).first(where: { $0.0 == command })?.1
        else { return nil }
        let known = CommandOption.all(of: type).map(\.name) + ["help", "version"]
        let start = "Unknown option '--"
        let name: String?
        if text.hasPrefix(start) {
            name = String(text.dropFirst(start.count).prefix { $0 != "'" && $0 != "=" })
        } else if text.hasPrefix("Missing expected argument") {
            name = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
                .map { String($0.dropFirst(2).prefix { $0 != "=" }) }
                .first { !known.contains($0) }
        } else {
            name = nil
        }
        guard let name else { return nil }
        if let error = misplaced(name, in: command) { return error }
        let near = name.utf8.count <= 100 ? nearest(to: name, among: known).first : nil
        return DuetError(
            status: .usage, attempt: "unknown option '--\(name.prefix(100))'", result: "",
            hint: near.map { "did you mean '--\($0)'?" } ?? "see 'duet help \(command)'")
    }

    /// What to say of an option that only other commands have; nil: none has it.
    private static func misplaced(_ name: String, in command: String) -> DuetError? {
        let others = zip(names, all).filter { _, type in
            CommandOption.all(of: type).contains { $0.name == name }
        }.map(\.0)
        guard !others.isEmpty else { return nil }
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
