import SystemSupport

/// Why the program ends: what was tried, what came back, what to do, and the exit code.
struct DuetError: Error, Sendable, Equatable {
    var status: ExitStatus
    /// As `cannot open http://host/song.mp3`.
    var attempt: String
    /// As `the server answered 404 Not Found`.
    var result: String
    /// As `check the address`; empty when there is nothing to do.
    var hint: String

    /// What was tried and what came back, made safe to show.
    var message: String {
        SafeText.withoutCredentials(result.isEmpty ? attempt : "\(attempt): \(result)")
    }

    /// The message and the hint in one line.
    var line: String {
        hint.isEmpty ? message : "\(message); \(SafeText.withoutCredentials(hint))"
    }
}
