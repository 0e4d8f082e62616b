/// What the program gives back to the shell; scripts rely on these.
enum ExitStatus: Int32, Error {
    /// Finished, or stopped by `q`, a first Ctrl-C or SIGTERM.
    case success = 0
    /// Anything that has no code of its own.
    case failure = 1
    /// Wrong usage.
    case usage = 64
    /// The song cannot be opened, or cannot be played.
    case noInput = 66
    /// No JACK server, or none came back.
    case unavailable = 69
    /// Cannot create the output.
    case cannotCreate = 73
    /// Read or write failed.
    case inputOutput = 74
    /// A second Ctrl-C; a file that was stopped before its end.
    case interrupted = 130
}
