import Glibc

/// The help of the program and of its commands.
struct HelpText {
    /// Where the right column begins.
    private static let margin = 26

    /// The most columns of a line.
    let columns: Int

    /// For whoever reads standard output.
    static var own: HelpText {
        HelpText(columns: max(40, Terminal.size(of: STDOUT_FILENO)?.columns ?? 80))
    }

    /// The help of a command, or, for nil, of the program.
    ///
    /// - Parameter isWhole: whether it has all options, not those alone that most users need. Without a
    ///   command those of `sing`, the default.
    func text(of command: CommandName?, isWhole: Bool) -> String {
        guard let command else { return program(isWhole: isWhole) }
        let type = command.type
        let rows = OptionTable.rows(of: command)
        let shown = rows.filter { isWhole || $0.level != .more || !Self.hasHeadings(rows) }
        var parts = [
            filled("OVERVIEW: " + type.summary), paragraphs(type.discussion),
            "USAGE: duet \(command) \(type.usage)",
        ]
        if !type.arguments.isEmpty {
            let arguments = type.arguments.map { row("<\($0.name)>", $0.help) }
            parts.append((["ARGUMENTS:"] + arguments).joined(separator: "\n"))
        }
        parts += sections(of: shown, hasHeadings: Self.hasHeadings(rows))
        let others = rows.count - shown.count
        let more =
            others > 0 ? "  \(others) more options: duet help \(command) --all\n" : ""
        parts.append(more + Self.manual)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Whether there are so many options that they need headings, and that those that most users need stand
    /// alone.
    private static func hasHeadings(_ rows: [OptionRow]) -> Bool { rows.count > 20 }

    /// Options below their headings: the command's own first, if it has any.
    private func sections(of rows: [OptionRow], hasHeadings: Bool) -> [String] {
        let general = Self.general(hasHeadings: hasHeadings).map { row($0.names, $0.help) }
        func section(_ title: String, _ lines: [String]) -> String {
            (["\(title):"] + lines).joined(separator: "\n")
        }
        guard hasHeadings else { return [section("OPTIONS", rows.map(line) + general)] }
        var (own, titled): ([String], [String]) = ([], [])
        for part in OptionTable.sections {
            let lines = part.rows.filter { row in rows.contains { $0 === row } }.map(line)
            if let title = part.title {
                if !lines.isEmpty { titled.append(section(title.uppercased(), lines)) }
            } else {
                own = lines
            }
        }
        let options = section("OPTIONS", own + general)
        return own.isEmpty ? titled + [options] : [options] + titled
    }

    /// What every command has, which is no option of the table. Where the help has two levels, there is an
    /// option for the whole.
    private static func general(hasHeadings: Bool) -> [(names: String, help: String)] {
        [("--version", "Show the version."), ("-h, --help", "Show this help.")]
            + (hasHeadings ? [("--help-all", "Show all options.")] : [])
    }

    private static let manual = "  See 'man duet' for the whole manual."

    private func program(isWhole: Bool) -> String {
        func section(_ title: String, _ lines: [String]) -> String {
            ([title + ":"] + lines).joined(separator: "\n")
        }
        var parts = [
            filled("OVERVIEW: \(Self.summary)"), paragraphs(Self.discussion),
            "USAGE: duet [<command>] [<options>] <SONG> ...",
            section(
                "COMMANDS",
                CommandName.allCases.map { name in
                    row(name == .sing ? "sing (default)" : name.rawValue, name.type.summary)
                }),
        ]
        let rows = OptionTable.rows(of: .sing)
        if isWhole {
            parts += sections(of: rows, hasHeadings: true)
        } else {
            let examples = rows.compactMap { option in
                if case .first(let typed, let does) = option.level { row(typed, does) } else { nil }
            }
            parts.append(section("OPTIONS TO BEGIN WITH", examples))
        }
        let whole = isWhole ? "" : ", 'duet --help-all' for all options"
        return parts.joined(separator: "\n\n")
            + "\n  See 'duet help COMMAND'\(whole), or 'man duet'."
    }

    static let summary = "Sing along: mix your microphone with songs, live, through JACK."
    static let discussion = """
        To begin, put on headphones and run 'duet demo', or 'duet SONG' to sing. SONG is an audio \
        file, a folder, a playlist, an http(s) URL, or - (standard input).

        Keys: \(KeyTable(of: MixPlan(second: .mic(channelCount: 1))).summary).
        """

    /// An option: `-n, --name <name>`, `--duck[=<dB>]`.
    private func line(_ option: OptionRow) -> String {
        let names = option.names.joined(separator: ", ")
        return switch option.form {
        case .flag: row(names, option.help)
        case .value(let name): row("\(names) <\(name)>", option.help)
        case .optionalValue(let name, _): row("\(names)[=<\(name)>]", option.help)
        }
    }

    /// Two columns; the right one begins in the next line where the left one is too long.
    private func row(_ left: String, _ right: String) -> String {
        let lines = wrapped(right, columns: columns - Self.margin)
        let indent = String(repeating: " ", count: Self.margin)
        let head = "  \(left)"
        let isLong = head.count >= Self.margin
        let first =
            isLong ? "\(head)\n\(indent)\(lines[0])" : head.padded(to: Self.margin) + lines[0]
        return ([first] + lines.dropFirst().map { indent + $0 }).joined(separator: "\n")
    }

    private func filled(_ text: String) -> String {
        wrapped(text, columns: columns).joined(separator: "\n")
    }

    /// Paragraphs, of which one that is indented stays as it is.
    private func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { $0.hasPrefix(" ") ? String($0) : filled(String($0)) }
            .joined(separator: "\n\n")
    }
}

// MARK: For programs

extension HelpText {
    /// All commands with their options, for programs.
    static var json: JSONValue {
        .object([
            ("summary", .text(summary)),
            ("commands", .array(CommandName.allCases.map(object))),
        ])
    }

    private static func object(_ command: CommandName) -> JSONValue {
        let type = command.type
        let arguments = type.arguments.map { argument in
            JSONValue.object(
                [
                    ("name", .text(argument.name)), ("help", .text(argument.help)),
                    ("needed", .boolean(argument.isNeeded)),
                    ("repeats", .boolean(argument.mayRepeat)),
                ] + object(argument.completion))
        }
        let hasHeadings = hasHeadings(OptionTable.rows(of: command))
        let general = general(hasHeadings: hasHeadings).map { names, help in
            JSONValue.object([
                ("names", .array(names.split(separator: ", ").map { .text(String($0)) })),
                ("section", .null), ("help", .text(help)), ("value", .null),
                ("optional", .boolean(false)), ("repeats", .boolean(false)),
                ("configurable", .boolean(false)), ("common", .boolean(true)),
            ])
        }
        let options = OptionTable.sections.flatMap { section in
            section.rows
                .filter { $0.commands.contains(command) && $0.source != .configuration }
                .map { object($0, hasHeadings ? section.title : nil) }
        }
        return .object([
            ("name", .text(command.rawValue)), ("summary", .text(type.summary)),
            (
                "discussion",
                .array(type.discussion.split(separator: "\n\n").map { .text(String($0)) })
            ),
            ("arguments", .array(arguments)), ("options", .array(options + general)),
        ])
    }

    private static func object(_ option: OptionRow, _ section: String?) -> JSONValue {
        let isOptional = if case .optionalValue = option.form { true } else { false }
        return .object(
            [
                ("names", .array(option.names.map { .text($0) })),
                ("section", section.map { .text($0) } ?? .null), ("help", .text(option.help)),
                ("value", option.valueName.map { .text($0) } ?? .null),
                ("optional", .boolean(isOptional)), ("repeats", .boolean(option.most > 1)),
                ("configurable", .boolean(option.source != .commandLine)),
                ("common", .boolean(option.level != .more)),
            ] + object(option.completion))
    }

    private static func object(
        _ completion: ValueCompletion
    ) -> [(name: String, value: JSONValue)] {
        switch completion {
        case .nothing: []
        case .choices(let names): [("choices", .array(names.map { .text($0) }))]
        case .files(let endings): [("files", .array(endings.map { .text($0) }))]
        case .folders: [("files", .array([]))]
        }
    }
}
