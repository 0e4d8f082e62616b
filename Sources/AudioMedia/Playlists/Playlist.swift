/// The entries of a playlist, in its order: `.m3u`, `.m3u8` of plain entries, `.pls`, or the audio
/// files of a folder.
struct Playlist {
    enum Format { case m3u, pls }

    /// A song as a playlist names it.
    struct Song: Equatable {
        let location: Location
        /// The title that the list gives it, safe to show and bounded; nil for none.
        var title: String?
    }

    /// A line, or the part of one that is a name.
    struct Line {
        var text: String
        /// False: each letter is a byte, as in Latin-1.
        let isUTF8: Bool

        init(_ bytes: ArraySlice<UInt8>) {
            let text = String(validating: bytes, as: UTF8.self)
            isUTF8 = text != nil
            self.text = Playlist.trimmed(
                (text ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))[...])
        }

        /// The bytes that the text was made of, but for white space.
        var bytes: [UInt8] {
            isUTF8
                ? Array(text.utf8)
                : text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
    }

    enum Entry: Equatable {
        case song(Song)
        /// An entry that cannot be played; the others can.
        case refused(SongError)
    }

    /// How many of a stream's first bytes are looked at to tell whether it is a playlist.
    static let headSize = 16
    /// Most bytes of a playlist that are read.
    static let maximumSize = 1 << 20
    /// Most playlists that may lie in one another.
    static let maximumDepth = 5

    let entries: [Entry]

    /// Reads the bytes of the playlist at `base`. Of `maximumSize` bytes the last line is left out,
    /// since it may be cut off, and so are entries beyond `SongList.maximumCount`: then the first
    /// entry is an error that says so.
    ///
    /// - Parameter address: the address of a remote playlist after redirects, to which its entries
    ///   are relative.
    /// - Throws: when it is an HLS stream, which only looks like a playlist.
    init(
        bytes: [UInt8], format: Format, base: Location, address: String?
    ) throws(SongError) {
        let isCut = bytes.count >= Self.maximumSize
        let lines = Self.lines(isCut ? Self.wholeLines(bytes) : bytes)
        if lines.contains(where: { $0.text.hasPrefix("#EXT-X-") }) {
            throw .cannotOpen(song: base.description, .hls)
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
            + names.prefix(SongList.maximumCount - rest.count).map { name in
                do throws(SongError) {
                    let location = try Self.resolve(name.line, base: base, address: address)
                    return .song(Song(location: location, title: name.title))
                } catch {
                    return .refused(error)
                }
            }
    }

    private static func tooLong(_ base: Location) -> SongError {
        .cannotOpen(
            song: "the rest of \(base)",
            .tooLong(songs: SongList.maximumCount, mebibytes: maximumSize >> 20))
    }

    /// `bytes` up to the last end of a line.
    private static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[...(bytes.lastIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex - 1)])
    }

    /// The playlist format of a stream; nil when it is no playlist. Its first bytes count most,
    /// then the content type that its server tells, then its name.
    static func format(
        of location: Location, response: ResponseFacts?, head: ArraySlice<UInt8>
    ) -> Format? {
        let text = lines(Array(head)).first?.text.lowercased() ?? ""
        if text.hasPrefix("#extm3u") { return .m3u }
        if text.hasPrefix("[playlist]") { return .pls }
        // A stream that begins as MPEG audio does is a song, whatever its name.
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
        var name = (response?.address ?? location.name).lowercased()
        // In the name of a file these are ordinary letters.
        if case .remote = location { name = String(name.prefix { $0 != "?" && $0 != "#" }) }
        if name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") { return .m3u }
        return name.hasSuffix(".pls") ? .pls : nil
    }

    /// The lines that are not empty, without white space around them; ended by CR, LF or both.
    private static func lines(_ bytes: [UInt8]) -> [Line] {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Line.init).filter { !$0.text.isEmpty }
    }

    /// `text` without white space around it: that of ASCII, for other letters of Latin-1 may be parts of
    /// a name that is neither.
    static func trimmed(_ text: Substring) -> String {
        func isSpace(_ character: Character) -> Bool {
            character.isASCII && character.isWhitespace
        }
        var text = text
        while text.first.map(isSpace) == true { text.removeFirst() }
        while text.last.map(isSpace) == true { text.removeLast() }
        return String(text)
    }
}
