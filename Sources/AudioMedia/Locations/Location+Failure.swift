import Glibc
import SystemSupport

// Why a file cannot be opened.
extension Location {
    /// The error of a file that cannot be opened.
    ///
    /// - Parameters:
    ///   - code: the errno of the attempt.
    ///   - looksBeside: whether to look for the file that was meant, which blocks for as long as the
    ///     disk takes. By default not: a playlist may name many files.
    package func cannotOpen(code: Int32, looksBeside: Bool = false) -> SongError {
        .cannotOpen(song: description, fault(code: code, looksBeside: looksBeside))
    }

    private func fault(code: Int32, looksBeside: Bool) -> SongFault {
        guard case .file(let path) = self else { return .notOpened(code: code, meant: nil) }
        if code == EACCES, let lock = FileLock(on: path) { return .locked(code: code, lock) }
        let text = code == ENOENT || code == ENOTDIR ? path.text : nil
        let address = text.flatMap { Self.addressMeant(by: $0) }
        return .notOpened(
            code: code,
            meant: address ?? (looksBeside && code == ENOENT ? Self.fileMeant(by: path) : nil))
    }

    /// Most names of a folder that are looked at.
    private static let mostNames = 20_000

    /// The file in the same folder that a user may have meant by `path`: its name differs in case, or
    /// by the ending of an audio file. Nil: there is none.
    static func fileMeant(by path: FileName) -> String? {
        let folder = path.folder
        guard let wanted = path.last.text?.lowercased(), !wanted.isEmpty, let place = folder.text,
            let list = unsafe opendir((place.isEmpty ? "." : folder).cString)
        else { return nil }
        defer { unsafe closedir(list) }
        var (best, count) = (String?.none, 0)
        while count < mostNames, let entry = unsafe readdir(list) {
            count += 1
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe FileName(bytes: $0)
            }
            // A link that leads nowhere has the very name.
            guard name != path.last, let text = name.text, text == SafeText.clean(text)
            else { continue }
            let plain = text.lowercased()
            if plain == wanted { return place + text }
            guard AudioFileName.isOne(name),
                plain.lastIndex(of: ".").map({ plain[..<$0] == wanted }) == true
            else { continue }
            best = min(best ?? text, text)
        }
        return best.map { place + $0 }
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

extension FileLock {
    /// What keeps this user from the file at `path`; nil when neither it nor a folder on the way to
    /// it does.
    fileprivate init?(on path: FileName) {
        let bytes = path.bytes
        let folders = bytes.indices.dropFirst().filter { bytes[$0] == 0x2F }
            .map { FileName(bytes: bytes[..<$0]) }
        let folder = folders.first { unsafe access($0.cString, X_OK) != 0 && errno == EACCES }
        let place = folder ?? path
        var facts = stat()
        guard unsafe stat(place.cString, &facts) == 0 else { return nil }
        let user = facts.st_uid
        self.init(
            path: place.description, isFolder: folder != nil,
            owner: user == geteuid() ? nil : Self.name(of: user) ?? "user \(user)")
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
