import ArgumentParser
import Glibc

/// Where a live run takes commands from, beside the keys.
struct ControlOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Read commands, one per line, like 'set /mic/pan left', from a file descriptor, a named \
            pipe, or a Unix socket that duet creates.
            """, valueName: "number|path"),
        completion: .file(),
        transform: { text in
            guard !text.isEmpty else {
                throw ValidationError("use a number or a path, not an empty text")
            }
            // Before anything is opened that might have this number.
            if let descriptor = Int32(text) {
                guard descriptor > STDERR_FILENO, fcntl(descriptor, F_GETFD) >= 0 else {
                    throw ValidationError(
                        "use an open descriptor from 3 on, not '\(text.prefix(40))'")
                }
            }
            return text
        })
    var control: String?

    @Flag(help: "Disable the control socket used by 'duet add'.")
    var noControl = false
}
