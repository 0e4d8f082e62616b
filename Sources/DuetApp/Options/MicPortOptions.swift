import ArgumentParser

/// Which ports the microphone's ports are connected to.
struct MicPortOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Microphone port: a name or a regular expression (POSIX extended), or none. Give it twice \
            for a second choice, or for left and right with --stereo-mic (default: the first \
            physical port).
            """, valueName: "port"),
        completion: .ports,
        transform: patternArgument)
    var mic: [String] = []

    mutating func validate() throws {
        try checkPatterns(mic, of: "--mic")
    }
}
