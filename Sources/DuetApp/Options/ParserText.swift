/// What the parser of the command line says, in duet's words.
enum ParserText {
    /// A refusal: `--song-pan: use left, centre, right or -1…1, not 'rihgt'` for `The value 'rihgt' is
    /// invalid for '--song-pan <pan>': use …`.
    static func refusal(_ text: String) -> String {
        var text = text
        if text.hasSuffix(".") { text.removeLast() }
        if let (name, reason) = value(in: text) { return "\(name): \(reason)" }
        for (start, word) in [
            ("Missing value for '", "needs a value"), ("Missing expected argument '", ""),
        ]
        where text.hasPrefix(start) {
            let name = text.dropFirst(start.count).prefix { $0 != "'" }
            return word.isEmpty ? "missing \(plain(name))" : "\(option(name)) \(word)"
        }
        text.replace(". Did you mean", with: "; did you mean")
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Help, with the place of the rest at its end.
    static func help(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        return ownFirst(OptionalValue.marked(in: text))
            .replacing(" SUBCOMMANDS:\n", with: " COMMANDS:\n")
            .replacing("<subcommand>", with: "<command>")
            .replacing("Show help information.", with: "Show this help.")
            + "\n  See 'man duet' for the whole manual."
    }

    /// Puts the options of the command itself before those that it shares with others.
    private static func ownFirst(_ help: String) -> String {
        var parts = help.split(separator: "\n\n").map { $0.last == "\n" ? $0.dropLast() : $0 }
        guard let own = parts.firstIndex(where: { $0.hasPrefix("OPTIONS:") }),
            let shared = parts.firstIndex(where: { $0.hasPrefix("SONG:") }), shared < own,
            // Not only --version and --help.
            parts[own].split(separator: "\n  -").count > 3
        else { return help }
        parts.insert(parts.remove(at: own), at: shared)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The option or argument of a refused value, and why it was refused; nil: `text` says something else.
    private static func value(in text: String) -> (name: Substring, reason: Substring)? {
        guard text.hasPrefix("The value '"), let middle = text.firstRange(of: "' is invalid for '"),
            let end = text[middle.upperBound...].firstRange(of: "': ")
        else { return nil }
        let name = text[middle.upperBound..<end.lowerBound]
        return (name.hasPrefix("-") ? option(name) : plain(name)[...], text[end.upperBound...])
    }

    /// An option without its value: `--name` of `--name <name>`.
    private static func option(_ text: Substring) -> Substring { text.prefix { $0 != " " } }

    /// An argument as users type it: `SONG` of `<SONG> ...`.
    private static func plain(_ text: Substring) -> String {
        text.hasPrefix("<") ? String(text.dropFirst().prefix { $0 != ">" }) : String(text)
    }
}
