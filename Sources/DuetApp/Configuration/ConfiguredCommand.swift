import ArgumentParser
import AudioMedia

/// A command that takes options and values from the user's configuration, too.
protocol ConfiguredCommand: ParsableCommand {
    var config: ConfigurationOptions { get set }
    /// Options of the command that change nothing, or do not go together, with the others that were
    /// given, or that the configuration names: the configuration's are passed over without a word.
    func passedOver(beside names: Set<String>) -> Set<String>
    /// Refuses options that need another one. It is asked when the configuration, which may have
    /// that, was read; `validate` sees the command line alone.
    func checkNeeds() throws
    /// Whether keys do something while it runs.
    static var hasKeys: Bool { get }
}

extension ConfiguredCommand {
    func passedOver(beside names: Set<String>) -> Set<String> { [] }
    func checkNeeds() throws {}
    static var hasKeys: Bool { true }

    /// The command with what the configuration asks for, as far as the command line says nothing
    /// else.
    ///
    /// - Parameters:
    ///   - folder: where the configuration is; nil: this user has no place for one.
    ///   - words: the command line that this command was read from, without the command's name.
    ///   - commands: those that the configuration is for.
    /// - Throws: when the command line asks for a profile that is not there.
    func configured(
        in folder: FileName?, beside words: [String], commands: [any ParsableCommand.Type]
    ) throws(DuetError) -> Self {
        guard !config.noConfig else { return self }
        guard let folder else {
            guard let profile = config.profile else { return self }
            throw DuetError(
                status: .usage, attempt: "no profile '\(profile.prefix(40))'",
                result: "this user has no home folder", hint: "")
        }
        // At the same time: where the folder's disk hangs, both hang.
        let names = ["duet.conf"] + (Self.hasKeys ? ["keys.conf"] : [])
        let files = SettingsFile.read(names.map { folder + FileName("/\($0)") })
        let file = try Configuration(files[0], profile: config.profile, commands: commands)
        var command = self
        var wrong = file.wrong
        if !file.options.isEmpty {
            (command, wrong) = reading(file, beside: words)
        }
        command.config.values.assignments = file.assignments
        command.config.values.takesFolder = file.takesFolder
        command.config.values.warnings = wrong.warnings
        guard Self.hasKeys else { return command }
        let keys = KeyFile(files[1])
        command.config.values.keys = keys.bindings
        command.config.values.warnings += keys.wrong.warnings
        return command
    }

    /// The command with the options of a file before those of the command line, and with the lines
    /// of it that are wrong.
    private func reading(
        _ file: Configuration, beside words: [String]
    ) -> (command: Self, wrong: WrongLines) {
        let own = Set(CommandOption.all(of: Self.self).map(\.name))
            .subtracting(passedOver(beside: Set(file.options.map(\.name))))
        let options = file.options(beside: words).filter { own.contains($0.name) }
        var (command, wrong) = (self, file.wrong)
        var names = options.map(\.name)
        func parse(_ options: [Configuration.Option]) throws -> Self {
            try Self.parse(options.map(\.word) + words)
        }
        /// What options need that nobody gives; nil: nothing.
        func need(of options: [Configuration.Option]) -> String? {
            do { try parse(options).checkNeeds() } catch {
                return ParserText.refusal(Self.message(for: error))
            }
            return nil
        }
        if let whole = try? parse(options), (try? whole.checkNeeds()) != nil {
            command = whole
        } else {
            // One by one, so that what is wrong is found.
            var usable: [Configuration.Option] = []
            for option in options {
                if wrong.endsReading() { break }
                do {
                    _ = try parse(usable + [option])
                    usable.append(option)
                } catch {
                    wrong.add(option.line, ParserText.refusal(Self.message(for: error)))
                }
            }
            // What the command line needs and nobody gives is refused later.
            while let problem = need(of: usable),
                let name = usable.map(\.name).first(where: { name in
                    need(of: usable.filter { $0.name != name }) != problem
                })
            {
                for option in usable where option.name == name { wrong.add(option.line, problem) }
                usable.removeAll { $0.name == name }
            }
            command = (try? parse(usable)) ?? self
            names = usable.map(\.name)
        }
        command.config.values.names = Set(names.filter { !Configuration.isTyped($0, in: words) })
        return (command, wrong)
    }
}
