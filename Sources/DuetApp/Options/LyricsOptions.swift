import ArgumentParser
import AudioMedia

/// Where the lyrics of the first song are.
struct LyricsOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Lyrics of the first song: a file or an http(s) URL (default: the .lrc or UltraStar \
            .txt file next to the song, or the song's tags).
            """, valueName: "file"),
        completion: .file(),
        transform: lyricsArgument)
    var lyrics: String?
}

/// Reads the place of lyrics; whether they are there is found out when the song is.
private func lyricsArgument(_ text: String) throws -> String {
    let place: Location
    do throws(SongError) { place = try Location(text) } catch {
        throw ValidationError(error.fault.description)
    }
    guard !text.isEmpty, place != .standardInput else {
        throw ValidationError("use a file or an http(s) URL, not '\(text.prefix(40))'")
    }
    return text
}
