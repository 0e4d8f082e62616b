import SystemSupport

// What a playlist is written in.
extension Playlist {
    /// The playlist format of a stream; nil when it is no playlist. Its first bytes count most, up to
    /// `longestHead` of them, then the content type that its server tells, then its name.
    static func format(
        of location: Location, response: ResponseFacts?, head: ArraySlice<UInt8>
    ) -> Format? {
        let isWide = isWide(head)
        let start = start(of: head)
        func begins(_ mark: String) -> Bool {
            String(decoding: start.prefix(mark.utf8.count), as: UTF8.self).lowercased() == mark
        }
        if begins("#extm3u") { return .m3u }
        if begins("[playlist]") { return .pls }
        if start.first == 0x23, UltraStarSong.isOne(start) { return .ultraStar }
        switch start.first == 0x3C ? XMLScanner(start).root?.lowercased() : nil {
        case "playlist": return .xspf
        case "asx": return .asx
        default: break
        }
        if begins("<?wpl") { return .wpl }
        // A stream that begins as MPEG audio does is a song, whatever its name.
        if !isWide, head.starts(with: "ID3".utf8) || head.first == 0xFF { return nil }
        if response?.station != nil { return nil }
        let told = toldFormat(of: location, response: response, isText: isWide || !head.contains(0))
        return told != nil && WebPage.begins(start) ? .webPage : told
    }

    /// The format of a list by what its server tells, or else by its name; nil: it is none.
    ///
    /// - Parameter isText: whether it begins as text does.
    private static func toldFormat(
        of location: Location, response: ResponseFacts?, isText: Bool
    ) -> Format? {
        switch response?.contentType {
        case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
            "application/vnd.apple.mpegurl":
            return .m3u
        case "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml":
            return .pls
        case "application/xspf+xml": return .xspf
        case "audio/x-ms-wax", "video/x-ms-wvx": return .asx
        case "application/vnd.ms-wpl": return .wpl
        case "application/x-cue": return .cue
        default: break
        }
        var name = (response?.address ?? location.name).lowercased()
        // In the name of a file these are ordinary letters.
        if case .remote = location { name = String(name.prefix { $0 != "?" && $0 != "#" }) }
        if name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") { return .m3u }
        if name.hasSuffix(".pls") { return .pls }
        if name.hasSuffix(".xspf") { return .xspf }
        // Sound is called so, too.
        guard isText else { return nil }
        if name.hasSuffix(".wpl") { return .wpl }
        if name.hasSuffix(".cue") { return .cue }
        return [".asx", ".wax", ".wvx"].contains { name.hasSuffix($0) } ? .asx : nil
    }

    /// Whether more bytes than `head` are needed to tell the format: as many as `longestHead`.
    static func isCut(_ head: ArraySlice<UInt8>) -> Bool {
        guard head.count < longestHead else { return false }
        let start = start(of: head)
        if isWide(head) || start.first == 0x3C { return true }
        // What is not known by its first line begins with comments, or with the facts of a song.
        return start.first == 0x23 && !start.starts(with: "#EXT".utf8)
            && lines(Array(start), isCut: false).allSatisfy { $0.first == 0x23 }
    }

    /// Whether bytes begin with a mark of UTF-16.
    private static func isWide(_ head: ArraySlice<UInt8>) -> Bool {
        head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    }

    /// `head` in UTF-8 where its mark tells that it is text, and without space before the first letter.
    private static func start(of head: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let bytes = isWide(head) ? Array(TextEncoding.decode(head).utf8)[...] : head
        return (bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes).drop(while: isSpace)
    }

    /// What UTF-8 may begin with.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// Bytes without white space around them: that of ASCII, for other bytes may be parts of letters.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return bytes[...last].drop(while: isSpace)
    }

    /// The lines that are not empty, without white space around them; ended by CR, LF or both. What is
    /// UTF-16 by its mark is read as that, anything else byte by byte.
    ///
    /// - Parameter isCut: whether the end is missing: then the last line is left out.
    static func lines(_ bytes: [UInt8], isCut: Bool) -> [ArraySlice<UInt8>] {
        var bytes =
            isWide(bytes[...]) ? Array(TextEncoding.decode(bytes[...]).utf8)[...] : bytes[...]
        if bytes.starts(with: mark) { bytes = bytes.dropFirst(mark.count) }
        func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        if isCut, let end = bytes.lastIndex(where: isEnd) { bytes = bytes[...end] }
        return bytes.split(whereSeparator: isEnd).map(trimmed).filter { !$0.isEmpty }
    }
}

// The names of songs in the lines of a playlist, and their titles.
extension Playlist {
    /// What a list names a song by, and what it calls it.
    struct Name: Equatable {
        /// What the list's format takes names for: an address or a path, a part of an address, in which
        /// `%E9` is a byte, or a path alone.
        enum Kind { case any, address, path }

        /// As they stand in the list, which may be in any encoding.
        let bytes: [UInt8]
        let text: String
        /// Safe to show, and bounded; nil for none.
        var title: String?
        var kind = Kind.any

        /// Whether the text is the very bytes.
        var isUTF8: Bool { text.utf8.elementsEqual(bytes) }
    }

    /// Most Unicode scalars that are kept of a title.
    private static let longestTitle = 200

    private typealias Found = (name: ArraySlice<UInt8>, title: ArraySlice<UInt8>?)

    /// The songs of a list in XSPF, each by its first location; a track without one is left out. At most one
    /// more than a list may have.
    static func tracks(_ text: String) -> [Name] {
        XSPF.tracks(in: text, limit: Playlist.maximumCount + 1).compactMap { track in
            let location = trimmed(Array((track["location"] ?? "").utf8)[...])
            guard !location.isEmpty else { return nil }
            let titles = [track["creator"], track["title"]].compactMap { $0.flatMap(title) }
            return Name(
                bytes: Array(location), text: String(decoding: location, as: UTF8.self),
                title: title(titles.joined(separator: " - ")), kind: .address)
        }
    }

    /// The lines of an `.m3u` that are no comment, each with the title in the last `#EXTINF` above
    /// it.
    static func extended(_ lines: [ArraySlice<UInt8>]) -> [Name] {
        var found: [Found] = []
        var next: ArraySlice<UInt8>?
        for line in lines {
            if String(decoding: line.prefix(8), as: UTF8.self).lowercased() == "#extinf:" {
                next = behindComma(line)
            } else if line.first != 0x23 {
                found.append((line, next))
                next = nil
            }
        }
        return names(found)
    }

    /// The values of `File1=…`, `File2=…` of a `.pls`, by number, each with `Title1=…`.
    static func numbered(_ lines: [ArraySlice<UInt8>]) -> [Name] {
        var found: [(number: Int, name: ArraySlice<UInt8>)] = []
        var titles: [Int: ArraySlice<UInt8>] = [:]
        for line in lines {
            let parts = line.split(separator: 0x3D, maxSplits: 1)
            guard parts.count == 2 else { continue }
            let key = String(decoding: trimmed(parts[0]), as: UTF8.self).lowercased()
            func number(behind word: String) -> Int? {
                guard key.hasPrefix(word) else { return nil }
                return Int(key.dropFirst(word.count).drop { $0 == " " || $0 == "\t" })
            }
            if let number = number(behind: "file") {
                found.append((number, trimmed(parts[1])))
            } else if let number = number(behind: "title") {
                titles[number] = parts[1]
            }
        }
        return names(found.sorted { $0.number < $1.number }.map { ($0.name, titles[$0.number]) })
    }

    /// All texts of a list are in one encoding, but for names that were copied from elsewhere.
    private static func names(_ found: [Found]) -> [Name] {
        let texts = TextEncoding.decode(found.map(\.name) + found.map { $0.title ?? [] })
        return found.indices.map { number in
            Name(
                bytes: Array(found[number].name), text: texts[number],
                title: title(texts[found.count + number]))
        }
    }

    /// The song that a text of UltraStar names.
    static func song(
        _ bytes: ArraySlice<UInt8>, isCut: Bool, at base: Location
    ) throws(SongError) -> Name {
        guard let song = UltraStarSong(bytes, isCut: isCut), let audio = song.audio,
            let name = UltraStarSong.audioName(in: bytes)
        else { throw .cannotOpen(song: base.description, .noUltraStarSong) }
        let titles = [song.artist, song.title].compactMap { $0.flatMap(title) }
        return Name(
            bytes: Array(name), text: audio, title: title(titles.joined(separator: " - ")),
            kind: .path)
    }

    /// The files that the song was taken apart into, where a text of UltraStar on this machine names them;
    /// nil: it names none.
    static func stems(_ bytes: ArraySlice<UInt8>, isCut: Bool, at base: Location) -> StemFiles? {
        guard case .file = base, let song = UltraStarSong(bytes, isCut: isCut) else { return nil }
        func file(_ fact: String, _ text: String?) -> Location? {
            guard let text, let bytes = UltraStarSong.fileName(fact, in: bytes),
                let place = try? resolve(
                    Name(bytes: Array(bytes), text: text, kind: .path), base: base, address: nil,
                    NameSearch())
            else { return nil }
            if case .file = place { return place }
            return nil
        }
        let stems = StemFiles(
            instrumental: file("INSTRUMENTAL", song.instrumental),
            vocals: file("VOCALS", song.vocals))
        return stems == StemFiles() ? nil : stems
    }

    /// What comes after the first comma that is not in quotes: attributes before it may hold quoted
    /// commas.
    private static func behindComma(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var isQuoted = false
        for index in line.indices {
            if line[index] == 0x22 { isQuoted.toggle() }
            if line[index] == 0x2C, !isQuoted { return line[(index + 1)...] }
        }
        return []
    }

    /// `text` as a title that is safe to show; nil when nothing is left.
    static func title(_ text: String) -> String? {
        let short = SafeText.clean(String(text.unicodeScalars.prefix(longestTitle)))
        let title = String(decoding: trimmed(Array(short.utf8)[...]), as: UTF8.self)
        return title.isEmpty ? nil : title
    }
}
