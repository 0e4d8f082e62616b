import ArgumentParser
import AudioMedia

/// The files that the song was taken apart into.
struct StemOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The song without its vocals, played when the vocals are removed (default: \
            'SONG (Instrumental).*' and the like next to the song).
            """, valueName: "file"),
        completion: .songs, transform: stemArgument)
    var instrumental: Location?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The vocals alone, subtracted from the song instead of looking for the voice (default: \
            'SONG (Vocals).*' and the like next to the song).
            """, valueName: "file"),
        completion: .songs, transform: stemArgument)
    var vocals: Location?

    /// Nil where none is named.
    var files: StemFiles? {
        instrumental == nil && vocals == nil
            ? nil : StemFiles(instrumental: instrumental, vocals: vocals)
    }

    /// Refuses stems where they are for none or several of `songs`.
    func check(beside songs: [String]) throws {
        guard files != nil, songs.count > 1 || songs.contains(where: Self.isList) else { return }
        throw ValidationError("\(names) goes with a single song, not with several or a playlist")
    }

    /// The options that are given, as `--instrumental and --vocals`.
    var names: String {
        let given = [("--instrumental", instrumental), ("--vocals", vocals)]
        return given.compactMap { $1 == nil ? nil : $0 }.joined(separator: " and ")
    }

    private static func isList(_ name: String) -> Bool {
        [".m3u", ".m3u8", ".pls", ".xspf"].contains { name.lowercased().hasSuffix($0) }
    }
}

/// Reads the name of a stem; whether it is there is found out when the song is.
private func stemArgument(_ text: String) throws -> Location {
    guard !text.isEmpty, let place = try? Location(text), case .file = place else {
        throw ValidationError("use a file on this machine, not '\(text.prefix(40))'")
    }
    return place
}
