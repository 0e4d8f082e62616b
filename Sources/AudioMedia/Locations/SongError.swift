/// Why a song is lost: what was tried, what came back, what to do.
public enum SongError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It never started. `song` is the address as it may be shown.
    case cannotOpen(song: String, reason: String, hint: String)
    /// Its bytes are no MPEG audio.
    case notMPEG(song: String, hint: String)
    /// It had begun, and its bytes stopped coming for good.
    case brokeOff(song: String, reason: String, hint: String)

    /// What was tried and what came back, in one line.
    public var message: String {
        switch self {
        case .cannotOpen(let song, let reason, _): "cannot open \(song): \(reason)"
        case .notMPEG(let song, _): "cannot play \(song): it is no MP3"
        case .brokeOff(let song, let reason, _): "\(song) broke off: \(reason)"
        }
    }

    /// What the user can do.
    public var hint: String {
        switch self {
        case .cannotOpen(_, _, let hint), .notMPEG(_, let hint), .brokeOff(_, _, let hint): hint
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

extension SongError {
    /// Its stream ended before its first byte.
    static func empty(_ location: Location) -> SongError {
        let hint =
            switch location {
            case .remote: "check the address"
            case .file: "check that it was copied whole"
            case .standardInput: "check the command that writes to it"
            }
        return .cannotOpen(song: location.description, reason: "it is empty", hint: hint)
    }

    /// libcurl got no memory for its address.
    static func noMemory(song: String) -> SongError {
        .cannotOpen(song: song, reason: "no memory is left", hint: "end other programs")
    }

    /// What came from there is no MPEG audio.
    static func notMPEG(_ location: Location) -> SongError {
        let hint =
            switch location {
            case .remote: "give the address of an MP3 itself, not of a page that plays it"
            case .file: "give a file that is an MP3"
            case .standardInput: "give it the bytes of an MP3"
            }
        return .notMPEG(song: location.description, hint: hint)
    }

    /// The same of a song that had not begun: then it did not break off.
    var beforeItBegan: SongError {
        guard case .brokeOff(let song, let reason, let hint) = self else { return self }
        return .cannotOpen(song: song, reason: reason, hint: hint)
    }
}
