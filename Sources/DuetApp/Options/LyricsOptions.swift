import ArgumentParser
import AudioMedia

/// Where the lyrics of the first song are.
struct LyricsOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Lyrics of the first song: a file or an http(s) URL (default: the file beside each song "
                + "that has its name and ends in .lrc, or the song's tags).",
            valueName: "file"),
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
        throw ValidationError("lyrics are in a file, or at a URL")
    }
    return text
}
