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
            guard let name = FileName(encoded: path) else {
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
