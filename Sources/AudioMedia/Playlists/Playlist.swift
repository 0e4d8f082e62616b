/// What a playlist names, in its order: `.m3u`, `.m3u8` of plain entries, `.pls`.
struct Playlist {
    enum Format { case m3u, pls }

    /// A song as a playlist names it.
    struct Song: Equatable {
        let location: Location
        /// What the list calls it, safe to show and bounded; nil: it does not.
        var title: String?
    }

    enum Entry: Equatable {
        case song(Song)
        /// It cannot be played; the others can.
        case refused(SongError)
    }

    /// Bytes of a stream that tell whether it is a playlist.
    static let headSize = 16
    /// Bytes of a playlist that are read.
    static let maximumSize = 1 << 20
    /// Playlists that may lie in one another.
    static let maximumDepth = 5

    let entries: [Entry]

    /// Reads the bytes of the playlist at `base`. Of `maximumSize` bytes the last line, which may
    /// be cut off, is left out, and so is what goes beyond `SongList.maximumCount` entries: then
    /// the first entry is one that says so.
    ///
    /// - Parameter address: where a remote one was found after redirects: what its entries are
    ///   relative to.
    /// - Throws: when it is something else that only looks like a playlist.
    init(
        bytes: [UInt8], format: Format, base: Location, address: String?
    ) throws(SongError) {
        let isCut = bytes.count >= Self.maximumSize
        let lines = Self.lines(isCut ? Self.wholeLines(bytes) : bytes)
        if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) {
            throw .cannotOpen(
                song: base.description, reason: "it is an HLS stream, not a list of songs",
                hint: "give the address of an MP3 stream")
        }
        let names =
            switch format {
            case .m3u: Self.extended(lines)
            case .pls: Self.numbered(lines)
            }
        let isLonger = isCut || names.count > SongList.maximumCount
        let rest: [Entry] = isLonger ? [.refused(Self.tooLong(base))] : []
        entries =
            rest
            + names.prefix(SongList.maximumCount - rest.count).map { name, title in
                do throws(SongError) {
                    let location = try Self.resolve(name, base: base, address: address)
                    return .song(Song(location: location, title: title))
                } catch {
                    return .refused(error)
                }
            }
    }

    private static func tooLong(_ base: Location) -> SongError {
        .cannotOpen(
            song: "the rest of \(base)",
            reason: "it is longer than \(SongList.maximumCount) songs or \(maximumSize >> 20) MiB",
            hint: "divide it")
    }

    /// Up to the last end of a line.
    private static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[...(bytes.lastIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex - 1)])
    }

    /// What playlist a stream is; nil: none. Its first bytes count most, then what its server
    /// says, then its name.
    static func format(
        of location: Location, response: ResponseFacts?, head: ArraySlice<UInt8>
    ) -> Format? {
        let text = lines(Array(head)).first?.lowercased() ?? ""
        if text.hasPrefix("#extm3u") { return .m3u }
        if text.hasPrefix("[playlist]") { return .pls }
        // What begins as MPEG audio does is a song, whatever it is called.
        if head.starts(with: Array("ID3".utf8)) || head.first == 0xFF { return nil }
        if response?.station != nil { return nil }
        switch response?.contentType {
        case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
            "application/vnd.apple.mpegurl":
            return .m3u
        case "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml":
            return .pls
        default: break
        }
        var name = (response?.address ?? location.path).lowercased()
        // In a file's name these are letters.
        if case .remote = location { name = String(name.prefix { $0 != "?" && $0 != "#" }) }
        if name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") { return .m3u }
        return name.hasSuffix(".pls") ? .pls : nil
    }

    /// The lines that are not empty, without what surrounds them: UTF-8 where it is valid, else
    /// Latin-1; ended by CR, LF or both.
    private static func lines(_ bytes: [UInt8]) -> [String] {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let text = String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
        return text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
            .map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func latin1(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
