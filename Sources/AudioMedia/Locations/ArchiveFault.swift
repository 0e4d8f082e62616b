import SystemSupport

/// Why nothing is played of a ZIP archive.
public enum ArchiveFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Its parts contradict each other, or are missing.
    case damaged
    /// It has more files than `limit`.
    case tooManyFiles(limit: Int)
    /// There is no song in it.
    case withoutSong
    /// There is no song of the name that is wanted in it.
    case withoutThatSong
    /// What is wanted of it has a password.
    case encrypted
    /// What is wanted of it is packed by another method than deflate and Deflate64.
    case otherMethod
    /// What is wanted of it has more than so many MiB.
    case tooLarge(mebibytes: Int)
    /// There is no room for what is unpacked; `code` is an errno.
    case noRoom(code: Int32)
    /// It comes from a server or a pipe, and its contents are at its end.
    case notAFile

    /// The reason, in words.
    public var description: String {
        switch self {
        case .damaged: "it is a damaged ZIP archive"
        case .tooManyFiles(let limit): "it is a ZIP archive of more than \(limit) files"
        case .withoutSong: "it is a ZIP archive without a song"
        case .withoutThatSong: "there is no such song in the ZIP archive"
        case .encrypted: "it is a ZIP archive with a password"
        case .otherMethod: "it is a ZIP archive that is not packed by deflate"
        case .tooLarge(let mebibytes): "it is a ZIP archive of more than \(mebibytes) MiB"
        case .noRoom(let code): "it is a ZIP archive, and cannot be unpacked: \(errorText(code))"
        case .notAFile: "it is a ZIP archive, which is played as a file only"
        }
    }
}
