/// Why a song is lost: what was tried, what came back, what to do.
public enum SongError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The song never started. `song` is the address as it may be shown.
    case cannotOpen(song: String, reason: String, hint: String)
    /// The song's bytes are in no format that can be played.
    case cannotPlay(song: String, reason: String, hint: String)
    /// The song had begun, and its bytes stopped coming for good.
    case brokeOff(song: String, reason: String, hint: String)

    /// What was tried and what came back, in one line.
    public var message: String {
        switch self {
        case .cannotOpen(let song, let reason, _): "cannot open \(song): \(reason)"
        case .cannotPlay(let song, let reason, _): "cannot play \(song): \(reason)"
        case .brokeOff(let song, let reason, _): "\(song) broke off: \(reason)"
        }
    }

    /// What the user can do.
    public var hint: String {
        switch self {
        case .cannotOpen(_, _, let hint), .cannotPlay(_, _, let hint), .brokeOff(_, _, let hint):
            hint
        }
    }

    /// Whether some of the song was heard, or could have been.
    public var hadBegun: Bool { if case .brokeOff = self { true } else { false } }

    /// One line: what was tried, what came back, what to do.
    public var description: String { "\(message); \(hint)" }
}

extension SongError {
    /// The song's stream ended before its first byte.
    static func empty(_ location: Location) -> SongError {
        let hint =
            switch location {
            case .remote: "check the address"
            case .file: "check that it was copied whole"
            case .standardInput: "check the command that writes to it"
            }
        return .cannotOpen(song: location.description, reason: "it is empty", hint: hint)
    }

    /// libcurl got no memory for the song's address.
    static func noMemory(song: String) -> SongError {
        .cannotOpen(song: song, reason: "no memory is left", hint: "end other programs")
    }

    /// The bytes from `location` are in no format known here.
    static func unknown(_ location: Location) -> SongError {
        let (reason, hint) =
            switch location {
            case .remote:
                ("it is no MP3", "give the address of an MP3 itself, not of a page that plays it")
            case .file: ("it is no MP3, and no sound file", "give an MP3, FLAC, WAV or Ogg file")
            case .standardInput: ("it is no MP3", "give it the bytes of an MP3")
            }
        return .cannotPlay(song: location.description, reason: reason, hint: hint)
    }

    /// What came from there is sound in a format, called `name`, that is not played from there:
    /// libsndfile reads it from a file where `isSoundFile`. `reason`: why the file cannot be read.
    static func unsupported(
        _ location: Location, format name: String, isSoundFile: Bool, reason: String? = nil
    ) -> SongError {
        let source =
            switch location {
            case .remote: "addresses"
            case .file: "pipes"
            case .standardInput: "standard input"
            }
        if let reason {
            return .cannotPlay(
                song: location.description, reason: "it is \(name), and cannot be read: \(reason)",
                hint: "check that it was copied whole")
        }
        return .cannotPlay(
            song: location.description,
            reason: isSoundFile
                ? "it is \(name), and of \(source) only MP3 is played"
                : "it is \(name), which is not supported",
            hint: isSoundFile ? "save it as a file, and name that" : "convert it to MP3 or FLAC")
    }

    /// This error, for a song that had not begun: such a song could not be opened, and did not
    /// break off.
    var beforeItBegan: SongError {
        guard case .brokeOff(let song, let reason, let hint) = self else { return self }
        return .cannotOpen(song: song, reason: reason, hint: hint)
    }
}
