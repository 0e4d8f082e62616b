import Logging

// The options of JACK, of the user's settings, and of screen and control.

extension OptionRow {
    static let name = Option(
        "name", short: "n", .value("name"), "JACK client name (default: duet).", in: .live,
        level: .more, read: clientNameArgument)
    static let server = Option(
        "server", short: "s", .value("name"), serverHelp, in: .live, read: anyArgument)
    static let serverWait = Option(
        "server-wait", .value("seconds"),
        "Seconds to wait for a lost server to come back (default: no limit).", in: .live,
        level: .more, read: secondsArgument)
    static let noStartServer = Flag("no-start-server", startHelp, in: .live, level: .more)
    static let out = Option(
        "out", .value("port"),
        """
        Output ports: a name or a regular expression (POSIX extended), or none. Give it twice \
        to choose left and right (default: the first two physical ports).
        """, in: .live, most: 2, offers: .ports, read: patternArgument)
    static let directOuts = Flag(
        "direct-outs",
        """
        Add separate outputs for each source, before the limiter: song_out_left, song_out_right, \
        mic_out_left and so on.
        """, in: .live.union([.graph]), level: .more)
    static let transport = Option(
        "transport", .value("role"),
        "Follow JACK's transport, or lead it with duet's keys: none, follow or lead (default: none).",
        in: .players, level: .more, offers: .cases(of: TransportRole.self)
    ) { text throws(Refusal) -> TransportRole in try choiceArgument(text) }

    static let forget = Flag(
        "forget", "Delete the saved settings of each song before it starts.", in: .players,
        counts: .commandLine, level: .more)
    static let noMemory = Flag(
        "no-memory",
        "Do not load or save song settings: volume, key, tempo, vocals and lyrics offset.",
        in: .players, level: .more)
    static let profile = Option(
        "profile", .value("name"), "Also use the lines under [NAME] in duet.conf.",
        in: .configured, counts: .commandLine, read: anyArgument)
    static let noConfig = Flag(
        "no-config", "Ignore duet.conf and keys.conf.", in: .configured, counts: .commandLine,
        level: .more)

    static let json = Flag(
        "json", "Print events instead of the screen, one JSON object per line.",
        in: .live.union([.render]), level: .more)
    static let plain = Flag(
        "plain", "Print changes as lines, for screen readers.",
        in: .live.union([.render]))
    static let letters = Option(
        "letters", .value("kind"),
        """
        Draw the words of a song small, in blocks, octants (of which few fonts have characters), or \
        scaled by the terminal (default: auto, as the terminal can).
        """, in: .live.union([.stage]), level: .more, offers: .cases(of: LetterWays.Choice.self)
    ) { text throws(Refusal) -> LetterWays.Choice in try choiceArgument(text) }
    static let verbose = Flag(
        "verbose", short: "v", "Log to standard error what duet and its libraries do.",
        in: .live.union([.render, .doctor]), level: .more)
    static let logLevel = Option(
        "log-level", .value("level"), "Lowest level to log: \(logLevelNames).",
        in: .live.union([.render, .doctor]), level: .more,
        offers: .choices(Logger.Level.allCases.map(\.rawValue)), read: logLevelArgument)
    static let levels = Flag(
        "levels", "With --json: print levels ten times a second.", in: .live, level: .more)
    static let control = Option(
        "control", .value("number|path"),
        """
        Read commands, one per line, like 'set /mic/pan left', from a file descriptor, a named \
        pipe, or a Unix socket that duet creates.
        """, in: .live, level: .more, offers: .files([]), read: controlArgument)
    static let noControl = Flag(
        "no-control", "Disable the control socket used by 'duet add' and 'duet stage'.", in: .live,
        level: .more)

    fileprivate static let serverHelp =
        "JACK server name (default: $JACK_DEFAULT_SERVER, or else 'default')."
    fileprivate static let startHelp =
        "Exit if no JACK server is running, instead of starting one."
}

// MARK: The doctor's

extension OptionRow {
    static let doctorServer = Option(
        "server", short: "s", .value("name"), serverHelp, in: [.doctor], read: anyArgument)
    static let doctorStart = Flag("no-start-server", startHelp, in: [.doctor])
    // What makes a noise or changes the period belongs on the command line.
    static let measure = Flag(
        "measure", "Measure the round-trip latency through a cable, the air or a program.",
        in: [.doctor], counts: .commandLine)
    static let doctorOut = Option(
        "out", .value("port"), "With --measure: output ports, as for 'duet sing'.", in: [.doctor],
        most: 2, offers: .ports, read: patternArgument)
    static let doctorMic = Option(
        "mic", .value("port"), "Microphone port to listen to, as for 'duet sing'.",
        in: [.doctor], most: 2, offers: .ports, read: patternArgument)
    static let tryPeriods = Flag(
        "period", "Try periods of 64, 128 and 256 frames, and recommend one.", in: [.doctor],
        counts: .commandLine)
    static let seconds = Option(
        "seconds", .value("seconds"),
        "With --period: seconds to try each period (default: 10).", in: [.doctor],
        counts: .commandLine, read: secondsArgument)
}
