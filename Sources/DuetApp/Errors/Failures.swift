import AudioGraph
import AudioMedia
import SystemSupport

// Errors that no library reports, in this program's words.
extension DuetError {
    /// The user stopped the program: an end, not a failure.
    static let stopped = DuetError(status: .success, attempt: "stopped", result: "", hint: "")

    /// The user stopped a command whose result is a file: what is in it must not look whole.
    static let interrupted = DuetError(
        status: .interrupted, attempt: "stopped", result: "", hint: "")

    /// What a failed write to standard output means: the reader went away.
    static func outputLost(_ code: Int32) -> DuetError {
        DuetError(
            status: .inputOutput, attempt: "cannot write to standard output",
            result: errorText(code), hint: "")
    }

    /// The engine refuses a graph that this program has built: a fault of the program.
    static func graphRefused(_ error: GraphError) -> DuetError {
        DuetError(
            status: .failure, attempt: "cannot build the graph", result: error.description,
            hint: "")
    }

    /// Stems were named for what is a list of songs.
    static func stemsOfList(_ name: String) -> DuetError {
        DuetError(
            status: .usage, attempt: "cannot use --instrumental or --vocals",
            result: "\(name) is a list of songs", hint: "name a single song")
    }

    /// Nothing of a song is heard, for it ends before the place to start at; both in seconds.
    static func startIsBehindEnd(song: String, asked: Double, end: Double?) -> DuetError {
        let end = end.map { "at " + ClockTime(seconds: $0).description }
        return DuetError(
            status: .noInput,
            attempt: "cannot play \(Location.shown(song)) from \(ClockTime(seconds: asked)) on",
            result: "it ends \(end ?? "before that")", hint: "choose an earlier --start-at")
    }
}
