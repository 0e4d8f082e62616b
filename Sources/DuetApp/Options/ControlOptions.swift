import ArgumentParser
import Glibc

/// Where a live run takes commands from, beside the keys.
struct ControlOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Take commands, a line each (set /mic/pan -0.5), from a descriptor, from a pipe \
            (mkfifo -m 600), or from a Unix socket that is made at the path.
            """, valueName: "number or path"),
        transform: { text in
            guard !text.isEmpty else { throw ValidationError("it is empty") }
            // Before anything is opened that might have this number.
            if let descriptor = Int32(text) {
                guard descriptor > STDERR_FILENO, fcntl(descriptor, F_GETFD) >= 0 else {
                    throw ValidationError("there is no such descriptor from 3 on")
                }
            }
            return text
        })
    var control: String?

    @Flag(help: "Do not let duet add, or other programs of yours, reach this run.")
    var noControl = false
}
