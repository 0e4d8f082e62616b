import ArgumentParser

/// The JACK client, its server, and what its outputs are connected to.
struct JackOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("Name of the JACK client (default duet).", valueName: "name"),
        transform: clientNameArgument)
    var name = "duet"

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "The JACK server (default: $JACK_DEFAULT_SERVER, else default).", valueName: "name"))
    var server: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for a lost server (default: for ever).", valueName: "seconds"),
        transform: secondsArgument)
    var serverWait: Double?

    @Flag(help: "Fail when no JACK server runs, instead of starting one.")
    var noStartServer = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Ports to play to: a POSIX extended pattern on names and aliases, or none. Given once: \
            the first match is left, the second right. Given twice: left, then right.
            """, valueName: "pattern"),
        transform: patternArgument)
    var out: [String] = []

    @Flag(
        help: """
            Outputs for each source by itself, after volume and pan: song_out_left, \
            song_out_right, and mic_out_left, mic_out_right of a microphone (mic_2_out_left, \
            mic_2_out_right of the second), or second_out_left, second_out_right of a second song.
            """)
    var directOuts = false

    mutating func validate() throws {
        try checkPatterns(out, of: "--out")
    }
}
