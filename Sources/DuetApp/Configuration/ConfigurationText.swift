import ArgumentParser

/// A configuration in which every option and every address stands as a comment, with its default.
enum ConfigurationText {
    /// - Parameters:
    ///   - path: where it belongs; nil: this user has no place for it.
    ///   - commands: those whose options it names.
    static func text(path: String?, commands: [any ParsableCommand.Type]) -> String {
        let options = Configuration.options(of: commands).filter(Setting.isOption)
        let parameters = Vocabulary.all.parameters.map { parameter in
            let kind = parameter.kind
            let line = "#\(parameter.address)=\(kind.spelling(kind.defaultValue))"
            return "\(line)  # \(kind.rangeText)"
        }
        return """
            # The configuration of duet. Its place: \(path ?? "$XDG_CONFIG_HOME/duet/duet.conf")
            # A line is an option without its dashes, or an address and its value. What begins with
            # the number sign is a comment: take that sign away, and the line counts. Options and
            # addresses that a command does not have are passed over. The command line wins.
            # The lines below [NAME], to the next such line, count with --profile NAME alone.

            \(options.map(lines).joined(separator: "\n"))
            # What can be changed while duet plays has an address.

            \(parameters.joined(separator: "\n"))

            """
    }

    private static func lines(_ option: CommandOption) -> String {
        let value = option.valueName.map { "=" + (defaultValue(option) ?? "<\($0)>") } ?? ""
        return "# \(option.help)\n#\(option.name)\(value)\n"
    }

    /// The default, where the help ends with it: `… (default 1).`
    private static func defaultValue(_ option: CommandOption) -> String? {
        guard let start = option.help.firstRange(of: "(default"),
            let end = option.help[start.upperBound...].firstIndex(of: ")")
        else { return nil }
        let value = String(option.help[start.upperBound..<end].drop { $0 == ":" })
            .withoutSpaceAround
        // In words, as “for ever”: nothing that could stand behind the equals sign.
        return value.isEmpty || value.contains(" ") ? nil : value
    }
}
