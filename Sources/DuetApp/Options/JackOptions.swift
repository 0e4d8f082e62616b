import ArgumentParser

/// The JACK client, its server, and what its outputs are connected to.
struct JackOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("JACK client name (default: duet).", valueName: "name"),
        transform: clientNameArgument)
    var name = "duet"

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "JACK server name (default: $JACK_DEFAULT_SERVER, or else 'default').",
            valueName: "name"))
    var server: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds to wait for a lost server to come back (default: no limit).",
            valueName: "seconds"),
        transform: secondsArgument)
    var serverWait: Double?

    @Flag(help: "Exit if no JACK server is running, instead of starting one.")
    var noStartServer = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Output ports: a name or a regular expression (POSIX extended), or none. Give it twice \
            to choose left and right (default: the first two physical ports).
            """, valueName: "port"),
        completion: .ports,
        transform: patternArgument)
    var out: [String] = []

    /// The help of `--direct-outs`, which `graph` has too.
    static let directOutsHelp: ArgumentHelp = """
        Add separate outputs for each source, before the limiter: song_out_left, song_out_right, \
        mic_out_left and so on.
        """

    @Flag(help: directOutsHelp) var directOuts = false

    mutating func validate() throws {
        try checkPatterns(out, of: "--out")
    }
}
