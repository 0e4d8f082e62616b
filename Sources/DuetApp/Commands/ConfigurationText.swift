/// A configuration in which every option and every address stands as a comment, with its default.
enum ConfigurationText {
    /// - Parameter path: where it belongs; nil: this user has no place for it.
    static func text(path: String?) -> String {
        // Values have addresses.
        let options = OptionTable.configurable.filter { $0 !== OptionRow.set }
        let parameters = Vocabulary.all.parameters.map { parameter in
            let kind = parameter.kind
            let line = "#\(parameter.address)=\(kind.spelling(kind.defaultValue))"
            return "\(line)  # \(kind.rangeText)"
        }
        return """
            # duet's configuration. Save it as \(path ?? "$XDG_CONFIG_HOME/duet/duet.conf")
            # Each line is an option without its dashes, or an address and its value. Remove the #
            # at the start of a line to use it. The command line wins over this file. Each command
            # ignores the lines for other commands. --profile NAME adds the lines under [NAME].

            \(options.map(lines).joined(separator: "\n"))
            # Addresses: everything that you can change while duet is running.

            \(parameters.joined(separator: "\n"))

            """
    }

    private static func lines(_ option: OptionRow) -> String {
        let value = option.valueName.map { "=" + (defaultValue(option) ?? "<\($0)>") } ?? ""
        return "# \(option.help)\n#\(option.name)\(value)\n"
    }

    /// The default, where the help ends with it: `… (default: 1).`
    private static func defaultValue(_ option: OptionRow) -> String? {
        guard let start = option.help.firstRange(of: "(default"),
            let end = option.help[start.upperBound...].firstIndex(of: ")")
        else { return nil }
        let value = String(option.help[start.upperBound..<end].drop { $0 == ":" })
            .withoutSpaceAround
        // In words, like “no limit”: not a value for this file.
        return value.isEmpty || value.contains(" ") ? nil : value
    }
}
