/// A command line, read word by word.
struct CommandParser {
    /// What a command line asks for.
    enum Request {
        case version
        /// The help; nil: that of the whole program.
        case help(CommandName?, isWhole: Bool)
        /// The help as JSON.
        case helpForPrograms
        case run(OptionValues)
    }

    private var values: OptionValues
    private let rows: [OptionRow]
    /// Whether the help is asked for, and all of it.
    private var (asksHelp, asksWhole) = (false, false)
    private var asksVersion = false
    /// The first thing that is wrong. Help comes before it.
    private var problem: DuetError?

    /// Reads the words of a command line behind the program's name.
    ///
    /// - Throws: what is wrong with a word.
    static func read(_ words: [String]) throws(DuetError) -> Request {
        if words.first == "help" { return try help(Array(words.dropFirst())) }
        let named = words.first.flatMap(CommandName.init)
        let command = named ?? .sing
        var parser = CommandParser(command)
        parser.read(named == nil ? words[...] : words.dropFirst())
        if parser.asksHelp {
            let isOfProgram = ["-h", "--help", "--help-all"].contains(words.first)
            return .help(isOfProgram ? nil : command, isWhole: parser.asksWhole)
        }
        if parser.asksVersion { return .version }
        if let problem = parser.problem { throw problem }
        try parser.checkCount(words)
        return .run(parser.values)
    }

    private init(_ command: CommandName) {
        values = OptionValues(of: command)
        rows = OptionTable.rows(of: command)
    }

    private mutating func read(_ words: ArraySlice<String>) {
        var rest = words
        var isOver = false
        while let word = rest.popFirst() {
            if isOver || !word.hasPrefix("-") || word == "-" {
                addWord(word)
            } else if word == "--" {
                isOver = true
            } else if word.hasPrefix("--") {
                readOption(word, next: &rest)
            } else {
                readLetters(word, next: &rest)
            }
        }
    }

    /// Reads `--name`, `--name=value` or `--name value`.
    private mutating func readOption(_ word: String, next: inout ArraySlice<String>) {
        let sign = word.firstIndex(of: "=")
        let name = word[..<(sign ?? word.endIndex)].dropFirst(2)
        let value = sign.map { String(word[word.index(after: $0)...]) }
        if ["help", "help-all"].contains(name) {
            asksHelp = true
            asksWhole = asksWhole || name == "help-all"
            return
        }
        if name == "version" { return asksVersion = true }
        guard let row = rows.first(where: { $0.name == name }) else {
            return refuse(Self.unknown(String(name), of: values.command))
        }
        add(row, typed: "--\(name)", value, next: &next)
    }

    /// Reads `-v`, `-vs value`, `-svalue` or `-s=value`.
    private mutating func readLetters(_ word: String, next: inout ArraySlice<String>) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            if letter == "h" {
                asksHelp = true
                continue
            }
            guard let row = rows.first(where: { $0.shortName == letter }) else {
                return refuse(
                    Self.usage(
                        "unknown option '-\(letter)'",
                        see: values.command))
            }
            guard row.form == .flag, !letters.hasPrefix("=") else {
                let value = letters.hasPrefix("=") ? letters.dropFirst() : letters
                let isAlone = letters.isEmpty
                return add(
                    row, typed: "-\(letter)", isAlone ? nil : String(value), next: &next)
            }
            add(row, typed: "-\(letter)", nil, next: &next)
        }
    }

    private mutating func add(
        _ row: OptionRow, typed name: String, _ value: String?, next: inout ArraySlice<String>
    ) {
        var text = ""
        switch row.form {
        case .flag:
            guard value == nil || value == "" else {
                return refuse(Self.usage("\(name) takes no value", see: values.command))
            }
            if value == "" { return refuse(Self.emptyValue(name)) }
        case .optionalValue(_, let alone):
            text = value == nil || value == "" ? alone : value ?? alone
        case .value:
            if value == "" { return refuse(Self.emptyValue(name)) }
            guard let given = value ?? next.popFirst() else {
                return refuse(Self.usage("\(name) needs a value", see: values.command))
            }
            text = given
        }
        do throws(Refusal) {
            values.add(row, try row.value(of: text), from: .commandLine)
        } catch {
            refuse(Self.usage("\(name): \(error.reason)", see: values.command))
        }
    }

    private mutating func addWord(_ word: String) {
        let arguments = values.command.type.arguments
        guard let argument = arguments.dropFirst(values.words.count).first ?? arguments.last,
            argument.mayRepeat || values.words.count < arguments.count
        else {
            return refuse(
                Self.usage("unexpected argument '\(word.prefix(100))'", see: values.command))
        }
        do throws(Refusal) {
            values.words.append(try argument.read(word))
        } catch {
            refuse(Self.usage("\(argument.name): \(error.reason)", see: values.command))
        }
    }

    private mutating func refuse(_ error: DuetError) { problem = problem ?? error }

    /// Refuses a command line that lacks a word, or an option that the command needs.
    private func checkCount(_ typed: [String]) throws(DuetError) {
        let arguments = values.command.type.arguments
        let needed = arguments.filter(\.isNeeded)
        if values.words.count < needed.count {
            throw Self.missing(needed[values.words.count].name, values.command, typed)
        }
        if values.command == .render, !values.has(.output) {
            throw Self.missing("--output <file>", values.command, typed)
        }
    }

    // MARK: Help

    /// Reads what follows the word `help`.
    private static func help(_ words: [String]) throws(DuetError) -> Request {
        if words == ["--json"] { return .helpForPrograms }
        let isWhole = words.contains("--all") || words.contains("--help-all")
        guard let word = words.first(where: { !$0.hasPrefix("-") }), word != "help" else {
            return .help(nil, isWhole: isWhole)
        }
        guard let command = CommandName(rawValue: word) else {
            let near = nearestCommands(to: word)
            throw DuetError(
                status: .usage, attempt: "no command '\(word.prefix(40))'", result: "",
                hint: near.isEmpty
                    ? "'duet help' lists all commands" : "did you mean \(near.listed("or"))?")
        }
        return .help(command, isWhole: isWhole)
    }

    static func nearestCommands(to word: String) -> [String] {
        word.utf8.count <= 100
            ? nearest(to: word, among: CommandName.allCases.map(\.rawValue)) : []
    }

    // MARK: Errors

    static func usage(_ problem: String, see command: CommandName) -> DuetError {
        DuetError(
            status: .usage, attempt: problem, result: "",
            hint: problem.hasSuffix("?") ? "" : "see 'duet help \(command)'")
    }

    /// - Parameter typed: the whole command line: a user who typed the program's name alone gets examples.
    static func missing(
        _ name: String, _ command: CommandName, _ typed: [String]
    ) -> DuetError {
        DuetError(
            status: .usage, attempt: "missing \(name)", result: "",
            hint: typed.isEmpty
                ? "try 'duet song.mp3' or 'duet demo'; see 'duet --help'"
                : "see 'duet help \(command)'")
    }

    private static func emptyValue(_ name: String) -> DuetError {
        DuetError(
            status: .usage, attempt: "'\(name)=' has no value",
            result: "nothing stands behind the =", hint: "leave the = out, or give a value")
    }

    /// An option that the command does not have.
    private static func unknown(_ name: String, of command: CommandName) -> DuetError {
        if let error = misplaced(name, in: command) { return error }
        let known = OptionTable.rows(of: command).map(\.name) + ["help", "help-all", "version"]
        let near = name.utf8.count <= 100 ? nearest(to: name, among: known).first : nil
        return DuetError(
            status: .usage, attempt: "unknown option '--\(name.prefix(100))'", result: "",
            hint: near.map { "did you mean '--\($0)'?" } ?? "see 'duet help \(command)'")
    }

    /// What to say of an option that only other commands have; nil: none has it.
    private static func misplaced(_ name: String, in command: CommandName) -> DuetError? {
        let rows = OptionTable.rows.filter { $0.name == name }
        let others = CommandName.allCases.filter { other in
            rows.contains { $0.commands.contains(other) }
        }
        guard !others.isEmpty else { return nil }
        guard rows.contains(where: { $0.source != .configuration }) else {
            return DuetError(
                status: .usage, attempt: "--\(name) is no option of a command line", result: "",
                hint: "put \(name)=… into duet.conf")
        }
        let ofMicrophone = OptionTable.ofMicrophone + [.mic]
        let lacksMicrophone =
            [.play, .mix].contains(command)
            && rows.contains { row in ofMicrophone.contains { $0 === row } }
        return lacksMicrophone
            ? DuetError(
                status: .usage, attempt: "'duet \(command)' has no microphone", result: "",
                hint: "use --\(name) with 'duet sing'")
            : DuetError(
                status: .usage, attempt: "'duet \(command)' has no option --\(name)", result: "",
                hint: "use it with \(others.map { "'duet \($0)'" }.listed("or"))")
    }
}
