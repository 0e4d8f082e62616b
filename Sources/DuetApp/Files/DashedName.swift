import AudioMedia
import Glibc

/// Names of songs that begin with a dash. The parser would read them as options: `-dash.mp3` holds
/// `-h`, and would print the help.
enum DashedName {
    /// What the names of songs and playlists end with.
    static let endings = AudioFileName.endings + [".m3u", ".m3u8", ".pls", ".xspf"]

    /// Refuses arguments that look like the name of such a song.
    static func check(_ arguments: some Sequence<String>) throws(DuetError) {
        // The parser takes nothing after `--` for an option.
        for name in arguments.prefix(while: { $0 != "--" }) where looksLikeAFile(name) {
            throw DuetError(
                status: .usage, attempt: "'\(name)' starts with a dash, like an option", result: "",
                hint: "for a file, write ./\(name)")
        }
    }

    private static func looksLikeAFile(_ name: String) -> Bool {
        guard name.count > 2, name.hasPrefix("-"), !name.contains("="),
            name.dropFirst().first?.isLetter == true
        else { return false }
        return access(name, F_OK) == 0 || endsLikeASong(name)
    }

    static func endsLikeASong(_ name: String) -> Bool {
        endings.contains { name.lowercased().hasSuffix($0) }
    }
}
