import ArgumentParser

/// Where a live run takes commands from, beside the keys.
struct ControlOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Take commands, a line each (set /mic/pan -0.5), from a descriptor, from a pipe \
            (mkfifo), or from a Unix socket that is made at the path.
            """, valueName: "number or path"),
        transform: { text in
            guard !text.isEmpty else { throw ValidationError("it is empty") }
            return text
        })
    var control: String?
}
