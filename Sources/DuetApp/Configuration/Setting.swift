import ArgumentParser

/// What a line of the configuration asks for.
enum Setting: Sendable, Equatable {
    /// Values of the mix.
    case values([Assignment])
    /// An option's name, and the word that stands for it on the command line.
    case option(name: String, word: String)

    /// The options that set the mix, by their names.
    private static let mixOptions: [String: any MixOptions.Type] = {
        let groups: [any MixOptions.Type] = [
            SongOptions.self, SecondOptions.self, MicOptions.self, OutputOptions.self,
        ]
        var found: [String: any MixOptions.Type] = [:]
        for group in groups {
            for option in CommandOption.all(of: group) { found[option.name] = group }
        }
        return found
    }()

    /// Options about the configuration itself, or that say what the program is to do.
    private static let others: Set<String> = [
        "help", "version", "profile", "no-config", "output", "forget", "instrumental",
        "vocals",
    ]

    /// Whether a line of the configuration may name this option; values have addresses, too.
    static func isOption(_ option: CommandOption) -> Bool {
        !others.contains(option.name) && option.name != "set"
    }

    /// Reads `NAME`, `NAME=VALUE` or `/ADDRESS=VALUE`.
    ///
    /// - Parameter options: those of all commands.
    init(_ text: String, options: [CommandOption]) throws(Refusal) {
        let sign = text.firstIndex(of: "=")
        let name = String(text[..<(sign ?? text.endIndex)]).withoutSpaceAround
        let value = sign.map { String(text[text.index(after: $0)...]).withoutSpaceAround }
        if name.hasPrefix("/") {
            self = .values([try Assignment(text)])
            return
        }
        guard !Self.others.contains(name) else {
            throw Refusal(reason: "--\(name) works only on the command line")
        }
        guard let option = options.first(where: { $0.name == name }) else {
            let near = name.utf8.count <= 100 ? nearest(to: name, among: options.map(\.name)) : []
            throw Refusal(
                reason: "no option '\(name.prefix(40))'"
                    + (near.isEmpty ? "" : "; did you mean \(near.listed("or"))?"))
        }
        if option.valueName == nil, value != nil {
            throw Refusal(reason: "\(name) takes no value")
        }
        let word = OptionalValue.complete(["--\(name)" + (value.map { "=\($0)" } ?? "")])[0]
        let hasValue = value?.isEmpty == false || word.contains("=") && !word.hasSuffix("=")
        if let valueName = option.valueName, !hasValue {
            throw Refusal(reason: "\(name) needs a value: \(name)=<\(valueName)>")
        }
        if name == "set" {
            self = .values([try Assignment(value ?? "")])
            return
        }
        let assignments = try Self.mixOptions[name].map { type throws(Refusal) in
            try Self.assignments(word, of: type)
        }
        self =
            (assignments ?? []).isEmpty
            ? .option(name: name, word: word) : .values(assignments ?? [])
    }

    private static func assignments(
        _ word: String, of group: any MixOptions.Type
    ) throws(Refusal) -> [Assignment] {
        do {
            return try group.parse([word]).assignments
        } catch {
            throw Refusal(reason: ParserText.refusal(group.message(for: error)))
        }
    }
}
