import CCurl
import Glibc
import SystemSupport

/// Where a song comes from, as the user names it: an address, a file, or standard input.
public enum Location: Sendable, Hashable, CustomStringConvertible {
    /// An `http` or `https` address; `shown` is the same without user name and password.
    case remote(address: String, shown: String)
    case file(FileName)
    /// Descriptor 0.
    case standardInput

    /// The file at a path.
    public static func file(path: String) -> Location { .file(FileName(path)) }

    /// Reads `-`, an `http`, `https` or `file` URL, or else a path.
    ///
    /// Spaces and letters beyond ASCII in an address are encoded.
    public init(_ text: String) throws(SongError) {
        guard text != "-" else {
            self = .standardInput
            return
        }
        guard let scheme = Self.scheme(of: text) else {
            self = .file(path: text)
            return
        }
        guard ["http", "https", "file"].contains(scheme) else {
            throw .cannotOpen(
                song: Self.shownWithoutParsing(text),
                .schemeNotSupported(scheme, meant: Self.addressMeant(by: text)))
        }
        guard let url = unsafe curl_url() else {
            throw .cannotOpen(song: Self.shownWithoutParsing(text), Self.faultWithoutParser)
        }
        defer { unsafe curl_url_cleanup(url) }
        guard
            unsafe curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
        else {
            throw .cannotOpen(song: Self.shownWithoutParsing(text), .invalidAddress)
        }
        if scheme == "file" {
            // libcurl decodes no control characters, which a file's name may have.
            let path = unsafe Self.part(CURLUPART_PATH, of: url, flags: 0) ?? "/"
            guard let name = FileName(encoded: path.utf8) else {
                throw .cannotOpen(song: Self.shownWithoutParsing(text), .invalidAddress)
            }
            self = .file(name)
            return
        }
        let address = unsafe Self.part(CURLUPART_URL, of: url, flags: 0) ?? text
        unsafe curl_url_set(url, CURLUPART_USER, nil, 0)
        unsafe curl_url_set(url, CURLUPART_PASSWORD, nil, 0)
        unsafe curl_url_set(url, CURLUPART_OPTIONS, nil, 0)
        let shown = unsafe Self.part(CURLUPART_URL, of: url, flags: 0) ?? scheme
        self = .remote(address: address, shown: SafeText.clean(shown))
    }

    /// Why libcurl makes no parser of addresses.
    static var faultWithoutParser: SongFault {
        unsafe ccurl_failure().map { .noLibrary(reason: unsafe String(cString: $0)) } ?? .noMemory
    }

    /// The location as it may be shown: without user name, password and control characters.
    public var description: String {
        switch self {
        case .remote(_, let shown): shown
        case .file(let name): Self.shown(path: name.text ?? name.description)
        case .standardInput: "standard input"
        }
    }

    /// The location as scripts may be told: as `description`, but a file whose name is not UTF-8 by its
    /// `file:` address.
    public var reference: String {
        if case .file(let name) = self, name.text == nil { name.address } else { description }
    }

    /// What `init(_:)` makes this place of again: the whole address, with user name and password, or the
    /// path; a `file:` address where the path is not UTF-8, or reads like an address.
    public var name: String {
        switch self {
        case .remote(let address, _): return address
        case .standardInput: return "-"
        case .file(let name):
            guard let text = name.text, let same = try? Location(text), same == self else {
                return name.address
            }
            return text
        }
    }

    /// The same for another folder: a file by its path from the root on.
    package var whole: Location {
        if case .file(let name) = self { .file(name.whole) } else { self }
    }

    /// A song's name as `init(_:)` reads it, as it may be shown to people.
    package static func shown(_ name: String) -> String {
        (try? Location(name))?.description ?? shownWithoutParsing(name)
    }

    /// What kind of place it is.
    var origin: SongFault.Origin {
        switch self {
        case .remote: .address
        case .file: .file
        case .standardInput: .standardInput
        }
    }

    /// The part before `://`, in lower case; nil when that is no scheme. `file:` needs no slashes.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
            text[colon...].hasPrefix("://") || scheme == "file"
        else { return nil }
        return scheme
    }

    /// `path` as it may be shown. One that reads like an address with a mistyped scheme may hold a
    /// password: the part before its last `@` is left out.
    private static func shown(path: String) -> String {
        guard let at = path.unicodeScalars.lastIndex(of: "@"), path[..<at].contains(":") else {
            return SafeText.clean(path)
        }
        return "…" + SafeText.clean(String(path[at...]))
    }

    /// `text`, which is no valid address, as it may be shown: without the part between the scheme
    /// and the last `@`, since a password may hold characters that would end the host.
    static func shownWithoutParsing(_ text: String) -> String {
        // Searches scalars, not characters: a character may be an `@` with an accent on it.
        let text = text.unicodeScalars
        guard let colon = text.firstIndex(of: ":") else { return SafeText.clean(String(text)) }
        let rest = text[colon...].dropFirst(3)
        guard let at = rest.lastIndex(of: "@") else { return SafeText.clean(String(text)) }
        return SafeText.clean(
            String(text[..<colon]) + "://" + String(rest[rest.index(after: at)...]))
    }

    static func part(_ part: CURLUPart, of url: OpaquePointer, flags: Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(url, part, &text, UInt32(flags)) == CURLUE_OK,
            let text = unsafe text
        else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}

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
