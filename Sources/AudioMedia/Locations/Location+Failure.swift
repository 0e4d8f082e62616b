import Glibc
import SystemSupport

// Why a file cannot be opened, and what the user can do.
extension Location {
    /// The error of a file that cannot be opened.
    ///
    /// - Parameter code: the errno of the attempt.
    package func cannotOpen(code: Int32) -> SongError {
        let reason = errorText(code)
        guard case .file(let path) = self else {
            return .cannotOpen(song: description, reason: reason, hint: "check the name")
        }
        if code == EACCES, let lock = Lock(of: path) {
            return .cannotOpen(
                song: description, reason: "\(reason), \(lock.fact)", hint: lock.hint)
        }
        let meant = code == ENOENT || code == ENOTDIR ? Self.addressMeant(by: path) : nil
        return .cannotOpen(
            song: description, reason: reason,
            hint: meant.map { "check the name, or did you mean \($0)?" }
                ?? "name a file or an http(s) URL")
    }

    /// The address that a user may have meant by `text`, as it may be shown: its `http://` is
    /// missing or mistyped. Nil when `text` does not look like an address.
    static func addressMeant(by text: String) -> String? {
        guard let (scheme, rest) = mistypedScheme(of: text) ?? bareHost(text) else { return nil }
        // `text` is no valid address, so it is not known where a password in it ends: none of it is
        // shown.
        guard !text.unicodeScalars.contains("@") else { return "\(scheme)://…" }
        guard let meant = try? Location("\(scheme)://\(rest)"), case .remote = meant else {
            return nil
        }
        return meant.description
    }

    /// `htp://host`, `http:/host`, `http:host`: what it should be, and what follows it.
    private static func mistypedScheme(of text: String) -> (String, Substring)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let word = text[..<colon].lowercased()
        guard (3...7).contains(word.count), word.contains("t"),
            word.allSatisfy({ "htps".contains($0) })
        else { return nil }
        let rest = text[text.index(after: colon)...].drop { $0 == "/" }
        return rest.isEmpty ? nil : (word.hasSuffix("s") ? "https" : "http", rest)
    }

    /// `localhost/song.mp3`, `host:8000/song.mp3`, `example.org/song.mp3`.
    private static func bareHost(_ text: String) -> (String, Substring)? {
        let parts = text.prefix { $0 != "/" }.split(
            separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, let first = host.first, first.isLetter || first.isNumber,
            host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) })
        else { return nil }
        let hasPort = parts.count == 2 && UInt16(parts[1]) != nil
        let isHost = host == "localhost" || host.dropLast().contains(".")
        guard hasPort || parts.count == 1 && isHost && text.contains("/") else { return nil }
        return ("http", text[...])
    }
}

/// What keeps this user from a file: the file itself, or the first folder on its path that this
/// user may not enter.
private struct Lock {
    let fact: String
    let hint: String

    /// Nil when neither is the cause.
    init?(of path: String) {
        let folders = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
            .map { String(path[..<$0]) }
        let folder = folders.first { unsafe access($0, X_OK) != 0 && errno == EACCES }
        let place = folder ?? path
        var facts = stat()
        guard unsafe stat(place, &facts) == 0 else { return nil }
        let name = "“\(SafeText.clean(place))”"
        let (what, right) = folder == nil ? ("it", "r") : ("its folder \(name)", "x")
        guard facts.st_uid != geteuid() else {
            fact = "\(what) is your own"
            hint = "give yourself the right: chmod u+\(right) \(name)"
            return
        }
        let owner = Self.name(of: facts.st_uid) ?? "user \(facts.st_uid)"
        fact = "\(what) belongs to \(owner)"
        hint =
            "\(owner) can let you "
            + (folder == nil ? "read it" : "in") + ": chmod a+\(right) \(name)"
    }

    /// While one look-up hangs, no other is begun.
    private static let asking = ExclusiveCall()

    /// The name of `user`; nil when there is none, or when it is not known within 200 ms: users may
    /// be listed by a server.
    private static func name(of user: uid_t) -> String? {
        try? asking.call(milliseconds: 200) { () -> String? in
            var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
            var text = [CChar](repeating: 0, count: 16_384)
            return unsafe text.withUnsafeMutableBufferPointer { text in
                guard let start = text.baseAddress,
                    unsafe getpwuid_r(user, &entry, start, text.count, &found) == 0,
                    unsafe found != nil, let name = unsafe entry.pw_name
                else { return nil }
                return unsafe SafeText.clean(String(cString: name))
            }
        }
    }
}
