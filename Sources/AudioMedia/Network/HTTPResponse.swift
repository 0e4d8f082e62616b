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
}
