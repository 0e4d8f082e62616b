import ArgumentParser
import AudioMedia

/// How texts beside songs are read.
struct TextOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Encoding of tags, lyrics and playlists that are not Unicode, such as CP1251 or \
            Shift_JIS (default: guessed, otherwise CP1252).
            """, valueName: "name"),
        transform: encodingArgument)
    var textEncoding: String?
}

/// A command that reads such texts.
protocol TextCommand: ParsableCommand {
    var text: TextOptions { get }
}

/// Reads the name of an encoding.
private func encodingArgument(_ text: String) throws -> String {
    guard TextEncoding.isKnown(text) else {
        throw ValidationError(
            "no encoding '\(text.prefix(40))' that extends ASCII; 'iconv --list' shows their names")
    }
    return text
}
