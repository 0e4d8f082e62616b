/// Why a song is lost: what was tried and what came back.
///
/// The texts give no advice, because what a user can do depends on the program.
public enum SongError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The song never started. `song` is the address as it may be shown.
    case cannotOpen(song: String, SongFault)
    /// The song's bytes are in no format that can be played.
    case cannotPlay(song: String, SongFault)
    /// The song had begun, and its bytes stopped coming for good.
    case brokeOff(song: String, SongFault)

    /// What came back.
    public var fault: SongFault {
        switch self {
        case .cannotOpen(_, let fault), .cannotPlay(_, let fault), .brokeOff(_, let fault): fault
        }
    }

    /// Whether some of the song was heard, or could have been.
    public var hadBegun: Bool { if case .brokeOff = self { true } else { false } }

    /// What was tried and what came back, in one line.
    public var description: String {
        switch self {
        case .cannotOpen(let song, .notOpened(let code, let meant, let list?)):
            "cannot open \(song) of \(list): \(SongFault.notOpened(code: code, meant: meant))"
        case .cannotOpen(let song, let fault): "cannot open \(song): \(fault)"
        case .cannotPlay(let song, let fault): "cannot play \(song): \(fault)"
        case .brokeOff(let song, let fault): "\(song) broke off: \(fault)"
        }
    }

    /// This error, for a song that `list` names: a missing file is the list's mistake.
    func named(by list: String) -> SongError {
        guard case .cannotOpen(let song, .notOpened(let code, let meant, _)) = self else {
            return self
        }
        return .cannotOpen(
            song: song, .notOpened(code: code, meant: meant, list: list))
    }

    /// This error, for a song that had not begun: such a song could not be opened, and did not
    /// break off.
    var beforeItBegan: SongError {
        guard case .brokeOff(let song, let fault) = self else { return self }
        return .cannotOpen(song: song, fault)
    }
}

/// What keeps this user from a file: the file itself, or the first folder on its path that this
/// user may not enter.
public struct FileLock: Sendable, Equatable, CustomStringConvertible {
    /// The file or the folder, as it may be shown.
    public let path: String
    /// Whether `path` is a folder around the file.
    public let isFolder: Bool
    /// The name of the user it belongs to; nil: it is this user's own.
    public let owner: String?

    /// Whom it belongs to, in words.
    public var description: String {
        let what = isFolder ? "its folder '\(path)'" : "it"
        return owner.map { "\(what) belongs to \($0)" } ?? "though \(what) is yours"
    }
}
