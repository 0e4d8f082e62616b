import ArgumentParser

/// From where and how long songs are played.
struct TimeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin there in the song: 90, 1:30 or 0:01:30.", valueName: "time"),
        transform: timeArgument)
    var startAt: ClockTime?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop after so much output.", valueName: "time"),
        transform: durationArgument)
    var duration: ClockTime?

    @Flag(help: "Again from the start, without a gap.")
    var loop = false
}

/// `TimeOptions`, and the option that only a live run has.
struct LiveTimeOptions: ParsableArguments {
    @OptionGroup var common: TimeOptions

    @Flag(help: "Go on when the songs are over: keys bring them back, a microphone stays open.")
    var stay = false
}
