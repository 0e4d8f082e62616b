import ArgumentParser

/// Where songs begin, and how long they are played.
struct TimeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where in the song to begin: 90, 1:30 or 0:01:30.", valueName: "time"),
        transform: timeArgument)
    var startAt: ClockTime?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this much output: 90, 1:30 or 0:01:30.", valueName: "time"),
        transform: durationArgument)
    var duration: ClockTime?

    @Flag(help: "After the end begin again, without a gap.")
    var loop = false
}

/// `TimeOptions`, and what only live commands have.
struct LiveTimeOptions: ParsableArguments {
    @OptionGroup var common: TimeOptions

    @Flag(exclusivity: .chooseLast) var stay: StayOption?

    @Option(
        help: ArgumentHelp(
            "After a song: play the next one without a gap, or pause, for the next singer.",
            valueName: "what"))
    var between = BetweenSongs.play
}

/// Whether the run goes on when the songs are over.
enum StayOption: EnumerableFlag {
    case stay, noStay

    static func help(for value: StayOption) -> ArgumentHelp? {
        switch value {
        case .stay: "Go on after the last song: the microphone stays open, keys bring songs back."
        case .noStay:
            """
            End with the last song. Without either, 'sing' at a terminal goes on if its list had \
            several songs, was changed, or ended with a song that failed.
            """
        }
    }
}
