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
