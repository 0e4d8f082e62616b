import CCurl
import Glibc

/// The head of a response, as far as it matters to a song.
struct HTTPResponse {
    let status: Int
    /// The most bytes of audio that may lie between two blocks of a station's text; a server that
    /// names more counts as sending no text.
    private static let longestInterval: Int64 = 1 << 32

    /// The body's length; nil when it is not told, or when no song is so long.
    let length: Int64?
    /// The part of the file that the body holds, if the head names one.
    let range: ContentRange?
    /// The whole file's length in bytes, from a server that has no bytes at the offset asked for
    /// (416).
    let totalLength: Int64?
    /// Whether the server says that it sends parts.
    let offersRanges: Bool
    /// Whether the end of the body shows by itself: by its length, its last chunk, or HTTP/2. Otherwise
    /// the body ends with the connection.
    let tellsEnd: Bool
    let validator: Validator?
    /// The body's compression, as `gzip`; nil for none.
    let encoding: String?
    /// Bytes of audio between two blocks of text; nil when there is no text.
    let metadataInterval: Int?
    let facts: ResponseFacts

    /// The host and port that were asked, as `host:80`; nil: not known.
    let place: String?

    /// - Parameters:
    ///   - length: the `Content-Length`, as libcurl reads it.
    ///   - address: the address that answered, after redirects.
    ///   - isIcy: whether the head's first line says `ICY` instead of `HTTP`.
    ///   - isFramed: whether the protocol marks the body's end, as HTTP/2 does.
    ///   - header: gives the value of the header with a name.
    init(
        status: Int, length: Int64?, address: String?, isIcy: Bool, isFramed: Bool = false,
        header: (String) -> String?
    ) {
        self.status = status
        place = address.flatMap(Self.place(of:))
        let length = length.flatMap { SongSize.believable($0) }
        totalLength = header("Content-Range").flatMap { ContentRange.totalOfNoPart($0) }
        let coding = header("Transfer-Encoding")?.lowercased() ?? ""
        tellsEnd = length != nil || isFramed || coding.contains("chunked")
        validator = Validator(header: header)
        let encoding = header("Content-Encoding")?.lowercased() ?? ""
        let isPlain = ["", "identity"].contains(encoding)
        self.encoding = isPlain ? nil : encoding
        // Of a compressed body all of these count the compressed bytes.
        self.length = isPlain ? length : nil
        range = isPlain ? header("Content-Range").flatMap { ContentRange($0) } : nil
        offersRanges = isPlain && header("Accept-Ranges")?.lowercased() == "bytes"
        let interval = header("icy-metaint").flatMap { wholeNumber($0) }
        metadataInterval = interval.flatMap {
            (1...Self.longestInterval).contains($0) ? Int($0) : nil
        }
        let type = header("Content-Type")?.lowercased().prefix { $0 != ";" && $0 != " " }
        let (name, bitrate) = (header("icy-name"), header("icy-br"))
        // Most stations send headers that say so. An icecast server may not, but its files have a
        // length.
        let server = header("Server")?.lowercased() ?? ""
        let isSound = type?.hasPrefix("audio/") == true || type == "application/ogg"
        let isEndless =
            length == nil && isSound
            && (server.hasPrefix("icecast") || server.hasPrefix("shoutcast"))
        // A file may stand on a station's server, and have its headers.
        let isFile = length != nil && (offersRanges || range != nil || validator != nil)
        let isLive =
            !isFile && (isIcy || interval != nil || name != nil || bitrate != nil || isEndless)
        facts = ResponseFacts(
            contentType: type.map { String($0) }, address: address,
            station: isLive ? Station(icyName: name, icyBitrate: bitrate) : nil)
    }

    /// The host and port of an `http` or `https` address, without the name and password before them.
    static func place(of address: String) -> String? {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        let authority = address[start...].prefix { !"/?#".contains($0) }
        let host =
            authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        guard !host.isEmpty else { return nil }
        let tail = host.drop { $0 != "]" }
        let hasPort = (tail.isEmpty ? host : tail).contains(":")
        return host + (hasPort ? "" : address.lowercased().hasPrefix("https:") ? ":443" : ":80")
    }
}

/// The `Content-Range` header of a partial response (RFC 9110 14.4): `bytes 5-99/100`, or `bytes
/// 5-99/*`.
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The whole file's length in bytes; nil when the server does not know it, or no song is so
    /// long.
    let total: Int64?

    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = wholeNumber(ends[0]),
            let last = wholeNumber(ends[1]), first <= last
        else { return nil }
        let total = wholeNumber(parts[1])
        guard parts[1] == "*" || total.map({ $0 > last || $0 == .max }) == true else {
            return nil
        }
        self.first = first
        self.last = last
        self.total = total.flatMap { SongSize.believable($0) }
    }

    /// The whole file's length in the header of an answer 416, no such part: `bytes */100`.
    static func totalOfNoPart(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("bytes */") else { return nil }
        return wholeNumber(text.dropFirst(8)).flatMap { SongSize.believable($0) }
    }
}

/// What tells one version of a file from another, byte for byte (RFC 9110, 8.8).
enum Validator: Equatable {
    /// An ETag, with its quotes.
    case tag(String)
    /// A `Last-Modified`.
    case date(String)

    /// The best validator that a response offers: its ETag, unless that is a weak one, which may
    /// stand for different bytes; else its `Last-Modified`, if that is before its `Date`: within
    /// one second a file may change twice. Nil for none.
    init?(header: (String) -> String?) {
        if let tag = header("ETag"), tag.hasPrefix("\"") {
            self = .tag(tag)
        } else if let text = header("Last-Modified"), let sent = header("Date"),
            case let changed = unsafe curl_getdate(text, nil), changed >= 0,
            unsafe curl_getdate(sent, nil) > changed
        {
            self = .date(text)
        } else {
            return nil
        }
    }

    /// Whether both are of one kind, and different.
    func contradicts(_ other: Validator) -> Bool {
        switch (self, other) {
        case (.tag(let one), .tag(let two)), (.date(let one), .date(let two)): one != two
        default: false
        }
    }
}

/// The number that `text` writes in decimal digits; a number too large for an `Int64` becomes
/// `Int64.max`. Nil when `text` is anything but digits.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? .max
}
