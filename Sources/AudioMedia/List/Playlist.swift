import CCurl
import Glibc
import SystemSupport

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

// The names of songs in the lines of a playlist, and their titles.
extension Playlist {
    /// Most Unicode scalars that are kept of a title.
    private static let longestTitle = 200

    /// The lines of an `.m3u` that are no comment, each with the title in the last `#EXTINF` above
    /// it.
    static func extended(_ lines: [Line]) -> [(line: Line, title: String?)] {
        var found: [(line: Line, title: String?)] = []
        var next: String?
        for entry in lines {
            let line = entry.text
            if line.prefix(8).lowercased() == "#extinf:" {
                next = title(behindComma(line))
            } else if !line.hasPrefix("#") {
                found.append((entry, next))
                next = nil
            }
        }
        return found
    }

    /// The values of `File1=…`, `File2=…` of a `.pls`, by number, each with `Title1=…`.
    static func numbered(_ lines: [Line]) -> [(line: Line, title: String?)] {
        var found: [(number: Int, line: Line)] = []
        var titles: [Int: String] = [:]
        for entry in lines {
            let parts = entry.text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let key = parts[0].lowercased()
            if key.hasPrefix("file"), let number = Int(trimmed(key.dropFirst(4))) {
                var line = entry
                line.text = trimmed(parts[1])
                found.append((number, line))
            } else if key.hasPrefix("title"), let number = Int(trimmed(key.dropFirst(5))) {
                titles[number] = title(parts[1])
            }
        }
        return found.sorted { $0.number < $1.number }.map { ($0.line, titles[$0.number]) }
    }

    /// The text after the first comma that is not in quotes: attributes before it may hold quoted
    /// commas.
    private static func behindComma(_ line: String) -> Substring {
        var isQuoted = false
        for index in line.indices {
            if line[index] == "\"" { isQuoted.toggle() }
            if line[index] == ",", !isQuoted { return line[line.index(after: index)...] }
        }
        return ""
    }

    /// `text` as a title that is safe to show; nil when nothing is left.
    private static func title(_ text: Substring) -> String? {
        let short = String(text.unicodeScalars.prefix(longestTitle))
        let title = trimmed(SafeText.clean(short)[...])
        return title.isEmpty ? nil : title
    }
}

extension Playlist {
    /// The song that an entry names, relative to the place of its playlist.
    static func resolve(
        _ line: Line, base: Location, address: String?
    ) throws(SongError) -> Location {
        switch base {
        case .remote(let asked, _): return try resolve(line.text, address: address ?? asked)
        case .file(let path): return try resolve(line, folder: path.folder)
        case .standardInput: return try resolve(line, folder: "")
        }
    }

    /// A line that is not UTF-8 names a file of these very bytes, or, where there is none, one whose name
    /// in UTF-8 is the same text: the list may be older than the disk.
    private static func resolve(
        _ line: Line, folder: FileName
    ) throws(SongError) -> Location {
        let text = line.text
        guard !text.contains("://"), !text.lowercased().hasPrefix("file:") else {
            return try Location(text)
        }
        var line = line
        // In lists made on Windows a backslash parts folders; in a name with both slashes it is a
        // letter.
        if text.contains("\\"), !text.contains("/") { line.text.replace("\\", with: "/") }
        func place(_ name: FileName) -> FileName { name.isAbsolute ? name : folder + name }
        let (exact, readable) = (place(FileName(bytes: line.bytes)), place(FileName(line.text)))
        return .file(line.isUTF8 || exact.isThere || !readable.isThere ? exact : readable)
    }

    /// Resolves `name` against `address` by libcurl (RFC 3986, 5.2). A result that is not `http` or
    /// `https` is refused: a list from the network must not open files.
    private static func resolve(_ name: String, address: String) throws(SongError) -> Location {
        guard let url = unsafe curl_url() else {
            throw .cannotOpen(song: Location.shownWithoutParsing(name), Location.faultWithoutParser)
        }
        defer { unsafe curl_url_cleanup(url) }
        let flags = UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)
        guard unsafe curl_url_set(url, CURLUPART_URL, address, 0) == CURLUE_OK,
            unsafe curl_url_set(url, CURLUPART_URL, name, flags) == CURLUE_OK,
            let found = unsafe Location.part(CURLUPART_URL, of: url, flags: 0)
        else {
            throw .cannotOpen(song: Location.shownWithoutParsing(name), .invalidEntry)
        }
        let location = try Location(found)
        guard case .remote = location else {
            throw .cannotOpen(song: Location.shownWithoutParsing(name), .fileNamedFromNetwork)
        }
        return location
    }
}

// A folder is a playlist of the audio files in it.
extension Playlist {
    /// Most names of a folder that are looked at.
    private static let mostNames = 200_000

    /// The audio files in a folder, by their names, as people sort them: numbers by their values,
    /// other bytes by theirs. Neither hidden files nor what lies in folders inside it. Blocks for as
    /// long as the disk takes.
    ///
    /// - Throws: when the folder cannot be read, or there is no such file.
    init(folder: FileName) throws(SongError) {
        guard let list = unsafe opendir(folder.cString) else {
            throw Location.file(folder).cannotOpen(code: errno)
        }
        defer { unsafe closedir(list) }
        let start = folder.bytes.last == 0x2F ? folder : folder + "/"
        var names: [(name: FileName, key: [UInt8])] = []
        var count = 0
        while count < Self.mostNames, let entry = unsafe readdir(list) {
            count += 1
            let kind = unsafe Int(entry.pointee.d_type)
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe FileName(bytes: $0)
            }
            guard name.bytes.first != 0x2E, AudioFileName.isOne(name),
                kind == DT_REG || Self.isFile(start + name, kind: kind)
            else { continue }
            names.append((name, Self.sortKey(name)))
        }
        guard !names.isEmpty else {
            throw .cannotOpen(song: Location.file(folder).description, .folderWithoutAudio)
        }
        names.sort { $0.key.lexicographicallyPrecedes($1.key) }
        entries = names.map { .song(Song(location: .file(start + $0.name))) }
    }

    /// Whether a link, or what the disk does not tell the kind of, is a file.
    private static func isFile(_ name: FileName, kind: Int) -> Bool {
        guard kind == DT_LNK || kind == DT_UNKNOWN else { return false }
        var facts = stat()
        return unsafe stat(name.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// Bytes in whose order names are sorted: a number is `0`, the count of its digits without leading
    /// zeros, and these digits. Names that differ in leading zeros alone come in the order of their
    /// bytes.
    static func sortKey(_ name: FileName) -> [UInt8] {
        var key: [UInt8] = []
        var rest = name.bytes[...]
        while let byte = rest.first {
            guard (0x30...0x39).contains(byte) else {
                key.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let number = rest.prefix { (0x30...0x39).contains($0) }
            let digits = number.drop { $0 == 0x30 }
            // A name has 255 bytes at most.
            key += [0x30, UInt8(min(digits.count, 255))] + digits
            rest = rest.dropFirst(number.count)
        }
        return key + [0] + name.bytes
    }
}

// A playlist that names itself, or a playlist around it, would be opened again and again.
extension Playlist {
    /// The songs that the playlist names, and the errors of its other entries. An entry that names
    /// one of `lists` is refused; the first such entry is told as an error.
    ///
    /// - Parameter lists: this playlist, last, and those around it, the outermost first.
    func sorted(in lists: [Location]) -> (songs: [Song], refusals: [SongError]) {
        var songs: [Song] = []
        var refusals: [SongError] = []
        var isToldOfCircle = false
        for entry in entries {
            switch entry {
            case .refused(let error): refusals.append(error)
            case .song(let song):
                guard let named = lists.lastIndex(where: { $0.isSamePlace(as: song.location) })
                else {
                    songs.append(song)
                    continue
                }
                if !isToldOfCircle { refusals.append(Self.circle(lists[named...])) }
                isToldOfCircle = true
            }
        }
        return (songs, refusals)
    }

    private static func circle(_ lists: ArraySlice<Location>) -> SongError {
        let (first, last) = (lists[lists.startIndex], lists[lists.endIndex - 1])
        return .cannotOpen(
            song: "\(first) once more",
            .namesItself(last: last.description, isThroughOthers: lists.count > 1))
    }
}

extension Location {
    /// Whether both are the same playlist: equal addresses or paths, or paths of one file name that
    /// lead to the same file.
    fileprivate func isSamePlace(as other: Location) -> Bool {
        switch (self, other) {
        case (.remote(let address, _), .remote(let other, _)): return address == other
        case (.file(let path), .file(let other)):
            guard path != other else { return true }
            guard path.last == other.last else { return false }
            guard let place = FilePlace(of: path) else { return false }
            return place == FilePlace(of: other)
        default: return false
        }
    }
}
