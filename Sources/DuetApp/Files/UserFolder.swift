import AudioMedia
import Glibc

/// The folders of the user's in which this program has files, as the XDG Base Directory
/// Specification says where they are.
enum UserFolder {
    /// Where the user keeps the configuration: `$XDG_CONFIG_HOME/duet`, by default `~/.config/duet`.
    /// Nil for a user without a home.
    static var configuration: FileName? { path("XDG_CONFIG_HOME", default: ".config") }

    /// Where this program keeps what it is to remember: `$XDG_STATE_HOME/duet`, by default
    /// `~/.local/state/duet`. Nil for a user without a home.
    static var state: FileName? { path("XDG_STATE_HOME", default: ".local/state") }

    /// Where this program keeps what it can get again: `$XDG_CACHE_HOME/duet`, by default `~/.cache/duet`.
    /// Nil for a user without a home.
    static var cache: FileName? { path("XDG_CACHE_HOME", default: ".cache") }

    /// The user's own; nil for a user without one.
    static var home: FileName? { named("HOME") }

    /// Where programs keep their configuration; nil: in `.config` of the user's home.
    static var configurations: FileName? { named("XDG_CONFIG_HOME") }

    /// Makes a folder for its user alone, and those that it lies in, as far as they are not there.
    /// Blocks for as long as the disk takes. Returns 0, or an errno.
    ///
    /// - Parameters:
    ///   - mode: the folder's rights, less the umask.
    ///   - parents: the rights of those that it lies in, less the umask.
    static func make(_ path: FileName, mode: mode_t = 0o700, parents: mode_t = 0o700) -> Int32 {
        if mkdir(path.cString, mode) == 0 || errno == EEXIST { return 0 }
        guard errno == ENOENT, let slash = path.bytes.lastIndex(of: UInt8(ascii: "/")), slash > 0
        else { return errno }
        let parent = FileName(bytes: path.bytes[..<slash])
        let code = make(parent, mode: parents, parents: parents)
        guard code == 0 else { return code }
        return mkdir(path.cString, mode) == 0 || errno == EEXIST ? 0 : errno
    }

    /// Where programs that run find each other: `$XDG_RUNTIME_DIR/duet`. Nil where the system has no
    /// such folder for the user.
    static var runtime: FileName? { named("XDG_RUNTIME_DIR").map { $0 + "/duet" } }

    private static func path(_ variable: String, default folder: FileName) -> FileName? {
        (named(variable) ?? named("HOME").map { $0 + "/" + folder }).map { $0 + "/duet" }
    }

    /// The folder that a variable names.
    private static func named(_ variable: String) -> FileName? {
        guard let value = getenv(variable) else { return nil }
        let name = FileName(cString: value)
        // The specification: a path that does not begin at the root is to be ignored.
        return name.isAbsolute ? name : nil
    }
}
