import Glibc

/// Standard input as a song, `-`.
enum StandardInput {
    /// Refuses a terminal: nobody types an MP3, and the program would wait for it for ever.
    static func check(_ songs: some Sequence<String>) throws(DuetError) {
        guard songs.contains("-"), isatty(STDIN_FILENO) == 1 else { return }
        throw DuetError(
            status: .usage, attempt: "cannot play standard input",
            result: "it is this terminal, from which no song comes",
            hint: "send a song into it: duet - < song.mp3")
    }
}
