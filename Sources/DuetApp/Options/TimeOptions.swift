import ArgumentParser

/// Where songs begin, and how long they are played.
struct TimeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start the song at this time, like 90, 1:30 or 0:01:30.", valueName: "time"),
        transform: timeArgument)
    var startAt: ClockTime?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stop after playing this long, like 90, 1:30 or 0:01:30.", valueName: "time"),
        transform: durationArgument)
    var duration: ClockTime?

    @Flag(help: "At the end, start again without a gap.")
    var loop = false
}

/// `TimeOptions`, and what only live commands have.
struct LiveTimeOptions: ParsableArguments {
    @OptionGroup var common: TimeOptions

    @Flag(exclusivity: .chooseLast) var stay: StayOption?

    @Option(
        help: ArgumentHelp(
            """
            After each song, play the next one without a gap, or pause for the next singer: \
            play or pause (default: play).
            """, valueName: "action"),
        completion: .choices(BetweenSongs.self), transform: choiceArgument)
    var between = BetweenSongs.play
}

/// Whether the run goes on when the songs are over.
enum StayOption: EnumerableFlag {
    case stay, noStay

    static func help(for value: StayOption) -> ArgumentHelp? {
        switch value {
        case .stay:
            """
            Keep running after the last song, with the microphone open. 'sing' on a terminal does \
            this by itself after a list of several songs.
            """
        case .noStay: "Exit after the last song."
        }
    }
}
