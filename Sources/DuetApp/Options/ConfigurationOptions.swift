import ArgumentParser
import AudioMedia

/// How the user's configuration is used, and what it brought.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also use the lines under [NAME] in duet.conf.", valueName: "name"))
    var profile: String?

    @Flag(help: "Ignore duet.conf and keys.conf.")
    var noConfig = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Encoding of tags, lyrics and playlists that are not Unicode, such as CP1251 or \
            Shift_JIS (default: guessed, otherwise CP1252).
            """, valueName: "name"),
        transform: encodingArgument)
    var textEncoding: String?

    /// What the configuration brought; no option.
    var values = ConfiguredValues()

    func validate() throws {
        guard profile == nil || !noConfig else {
            throw ValidationError("--profile does not go with --no-config")
        }
    }
}

/// Reads the name of an encoding.
private func encodingArgument(_ text: String) throws -> String {
    guard TextEncoding.isKnown(text) else {
        throw ValidationError(
            "no encoding '\(text.prefix(40))' that extends ASCII; 'iconv --list' shows their names")
    }
    return text
}
