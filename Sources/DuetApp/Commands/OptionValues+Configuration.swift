import AudioMedia

extension OptionValues {
    /// The values with what the user's configuration asks for, as far as the command line says nothing
    /// else.
    ///
    /// - Parameters:
    ///   - folder: where the configuration is; nil: this user has no place for one.
    ///   - isRead: told of the values before it is looked at whether they go together.
    /// - Throws: when the command line asks for a profile that is not there, or for options that do not go
    ///   together.
    func configured(
        in folder: FileName?, isRead: (OptionValues) -> Void = { _ in }
    ) throws(DuetError) -> OptionValues {
        var whole = self
        var wrong: WrongLines?
        if OptionRow.noConfig.commands.contains(command), !self[.noConfig] {
            if let folder {
                wrong = try whole.read(folder)
            } else if let profile = self[.profile] {
                throw DuetError(
                    status: .usage, attempt: "no profile '\(profile.prefix(40))'",
                    result: "this user has no home folder", hint: "")
            }
        }
        isRead(whole)
        whole.ignore(command.type.ignored(in: whole))
        while let problem = OptionRules.problem(in: whole) ?? command.type.problem(in: whole) {
            guard let line = whole.lastLine(of: problem.rows) else {
                throw CommandParser.usage(problem.reason, see: command)
            }
            wrong?.add(line, problem.reason)
            whole.remove(line: line)
        }
        whole.configured.warnings = (wrong?.warnings ?? []) + whole.configured.warnings
        return whole
    }

    /// Reads duet.conf, and keys.conf where keys do something. Returns the lines of duet.conf that are
    /// wrong.
    private mutating func read(_ folder: FileName) throws(DuetError) -> WrongLines {
        let hasKeys = command.type.hasKeys
        // At the same time: where the folder's disk hangs, both hang.
        let names = ["duet.conf"] + (hasKeys ? ["keys.conf"] : [])
        let files = SettingsFile.read(names.map { folder + FileName("/\($0)") })
        var file = try Configuration(files[0], profile: self[.profile])
        configured.assignments = file.assignments
        configured.takesFolder = file.takesFolder
        add(&file)
        if hasKeys {
            let keys = KeyFile(files[1])
            configured.keys = keys.bindings
            configured.warnings = keys.wrong.warnings + configured.warnings
        }
        return file.wrong
    }

    /// Adds the options of a file that the command line does not have.
    private mutating func add(_ file: inout Configuration) {
        let typed = self
        var read = OptionValues(of: command)
        let rows = OptionTable.allRows(of: command).filter { $0.source != .commandLine }
        for option in file.options {
            if file.wrong.endsReading() { break }
            guard let row = rows.first(where: { $0.name == option.name }) else { continue }
            do throws(Refusal) {
                let value = try row.value(of: option.value)
                guard !typed.isTyped(row), !file.isReplaced(option, of: row) else { continue }
                read.add(row, value, from: .file(line: option.line))
            } catch {
                file.wrong.add(option.line, "--\(row.name): \(error.reason)")
            }
        }
        insert(read)
    }
}
