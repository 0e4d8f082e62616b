import AudioMedia
import Glibc
import SystemSupport

/// The folders of the user's in which this program has files, as the XDG Base Directory
/// Specification says where they are.
enum UserFolder {
    /// Where the user keeps the configuration: `$XDG_CONFIG_HOME/duet`, by default `~/.config/duet`.
    /// Nil for a user without a home.
    static var configuration: String? { path("XDG_CONFIG_HOME", default: ".config") }

    /// Where this program keeps what it is to remember: `$XDG_STATE_HOME/duet`, by default
    /// `~/.local/state/duet`. Nil for a user without a home.
    static var state: String? { path("XDG_STATE_HOME", default: ".local/state") }

    /// Makes a folder for its user alone, and those that it lies in, as far as they are not there.
    /// Blocks for as long as the disk takes. Returns 0, or an errno.
    static func make(_ path: String) -> Int32 {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return 0 }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            return errno
        }
        let code = make(String(path[..<slash]))
        guard code == 0 else { return code }
        return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
    }

    /// The names of what a folder holds, so many at most, in no order; none where it cannot be read.
    /// Blocks for as long as the disk takes.
    static func names(in path: String, atMost limit: Int) -> [String] {
        guard let list = opendir(path) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if ![".", ".."].contains(name) { names.append(name) }
        }
        return names
    }

    /// Where programs that run find each other: `$XDG_RUNTIME_DIR/duet`. Nil where the system has no
    /// such folder for the user.
    static var runtime: String? {
        named("XDG_RUNTIME_DIR").map { $0 + "/duet" }
    }

    private static func path(_ variable: String, default folder: String) -> String? {
        if let path = named(variable) { return path + "/duet" }
        return named("HOME").map { "\($0)/\(folder)/duet" }
    }

    /// A path below a user's folder, as it may be shown.
    static func shown(_ path: String) -> String {
        let folder = opened.withLock { $0.first { path.hasPrefix($0.value + "/") } }
        return SafeText.clean(
            folder.map { $0.key.description + path.dropFirst($0.value.count) } ?? path)
    }

    /// The folder that a variable names. One whose name is not UTF-8 is opened, and named by its
    /// descriptor, so that all below it can be named by text.
    private static func named(_ variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        let name = FileName(cString: value)
        // The specification: a path that does not begin at the root is to be ignored.
        guard name.isAbsolute else { return nil }
        return name.text
            ?? opened.withLock { opened in
                if opened[name] == nil {
                    let descriptor = open(name.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                    if descriptor >= 0 { opened[name] = "/proc/self/fd/\(descriptor)" }
                }
                return opened[name]
            }
    }

    /// The folders that were opened, and how they are named.
    private static let opened = Guarded<[FileName: String]>([:])
}
