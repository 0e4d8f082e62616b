/// Why a song is lost: what was tried, what came back, what to do.
public enum SongError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It never started. `song` is the address as it may be shown.
    case cannotOpen(song: String, reason: String, hint: String)
    /// Its bytes are no MPEG audio.
    case notMPEG(song: String)
    /// It had begun, and its bytes stopped coming for good.
    case brokeOff(song: String, reason: String, hint: String)

    /// What was tried and what came back, in one line.
    public var message: String {
        switch self {
        case .cannotOpen(let song, let reason, _): "cannot open \(song): \(reason)"
        case .notMPEG(let song): "cannot play \(song): it is no MP3"
        case .brokeOff(let song, let reason, _): "\(song) broke off: \(reason)"
        }
    }

    /// What the user can do.
    public var hint: String {
        switch self {
        case .cannotOpen(_, _, let hint), .brokeOff(_, _, let hint): hint
        case .notMPEG: "give the address of an MP3 itself, not of a page that plays it"
        }
    }

    /// What the program ends with: 66 or 74.
    public var exitCode: Int32 {
        switch self {
        case .cannotOpen, .notMPEG: 66
        case .brokeOff: 74
        }
    }

    /// One line: what was tried, what came back, what to do.
    public var description: String { "\(message); \(hint)" }
}
