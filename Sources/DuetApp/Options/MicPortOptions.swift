import ArgumentParser

/// Which ports the microphone's ports are connected to.
struct MicPortOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            The port to sing into: a POSIX extended pattern on names and aliases, or none. With \
            --stereo-mic the first two matches, or two patterns: left, right.
            """, valueName: "pattern"),
        transform: patternArgument)
    var mic: [String] = []

    mutating func validate() throws {
        try checkPatterns(mic, of: "--mic")
    }
}
