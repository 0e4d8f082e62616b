import CCurl
import SystemSupport

/// The entries of a playlist, in its order: `.m3u`, `.m3u8` of plain entries, `.pls`, `.xspf`, or the
/// audio files of a folder. A text of UltraStar is a list of the one song whose words it holds.
struct Playlist {
    enum Format {
        case m3u, pls, xspf, ultraStar
        /// Lists that are refused by their names.
        case asx, wpl, cue
        /// What comes in place of a list.
        case webPage

        /// Why nothing of it is read; nil: it is.
        fileprivate var fault: SongFault? {
            switch self {
            case .m3u, .pls, .xspf, .ultraStar: nil
            case .asx: .listNotSupported("ASX")
            case .wpl: .listNotSupported("WPL")
            case .cue: .listNotSupported("CUE")
            case .webPage: .webPage(notA: .playlist)
            }
        }
    }

    /// A song as a playlist names it.
    struct Song: Equatable {
        let location: Location
        /// The title that the list gives it, safe to show and bounded; nil for none.
        var title: String?
        /// Where its words are; nil: the list does not say.
        var words: Location?
        /// The files that it was taken apart into; nil: the list does not say.
        var stems: StemFiles?
        /// What of its file is the song.
        var span = SongSpan.whole
    }

    enum Entry: Equatable {
        case song(Song)
        /// An entry that cannot be played; the others can.
        case refused(SongError)
    }

    /// How many of a stream's first bytes are looked at, at least, to tell whether it is a playlist.
    static let headSize = 16
    /// How many of them are, at most: the first element of XML comes behind what describes it, and a song
    /// of UltraStar begins with its facts in any order.
    static let longestHead = UltraStarSong.longestHead
    /// Most songs of a list: playlists can name each other.
    static let maximumCount = 20_000
    /// Most bytes of a playlist that are read.
    static let maximumSize = 1 << 20
    /// Most playlists that may lie in one another.
    static let maximumDepth = 5

    let entries: [Entry]

    /// Reads the bytes of the playlist at `base`. Of `maximumSize` bytes the last line is left out,
    /// since it may be cut off, and so are entries beyond `Playlist.maximumCount`: then the first
    /// entry is an error that says so.
    ///
    /// - Parameter address: the address of a remote playlist after redirects, to which its entries
    ///   are relative.
    /// - Throws: when it is an HLS stream, which only looks like a playlist, in a format that is refused,
    ///   a web page, or a text of UltraStar that names no song.
    init(
        bytes: [UInt8], format: Format, base: Location, address: String?
    ) throws(SongError) {
        if let fault = format.fault { throw .cannotOpen(song: base.description, fault) }
        let isCut = bytes.count >= Self.maximumSize
        let names: [Name]
        if format == .ultraStar {
            names = [try Self.song(bytes[...], isCut: isCut, at: base)]
        } else if format == .xspf {
            names = Self.tracks(TextEncoding.decode(bytes[...], isCut: isCut))
        } else {
            let lines = Self.lines(bytes, isCut: isCut)
            if lines.contains(where: { $0.starts(with: "#EXT-X-".utf8) }) {
                throw .cannotOpen(song: base.description, .hls)
            }
            names = format == .m3u ? Self.extended(lines) : Self.numbered(lines)
        }
        let search = NameSearch()
        let stems =
            format == .ultraStar ? Self.stems(bytes[...], isCut: isCut, at: base) : nil
        let span = format == .ultraStar ? UltraStarSong(bytes[...], isCut: isCut)?.span : nil
        let isLonger = isCut || names.count > Playlist.maximumCount
        let rest: [Entry] = isLonger ? [.refused(Self.tooLong(base))] : []
        entries =
            rest
            + names.prefix(Playlist.maximumCount - rest.count).map { name in
                do throws(SongError) {
                    let location = try Self.resolve(
                        name, base: base, address: address, search)
                    let hasWords = format == .ultraStar && base != .standardInput
                    return .song(
                        Song(
                            location: location, title: name.title, words: hasWords ? base : nil,
                            stems: stems, span: span ?? .whole))
                } catch {
                    return .refused(error)
                }
            }
    }

    private static func tooLong(_ base: Location) -> SongError {
        .cannotOpen(
            song: "the rest of \(base)",
            .tooLong(songs: Playlist.maximumCount, mebibytes: maximumSize >> 20))
    }
}

// Where an entry is.
extension Playlist {
    /// The song that an entry names, relative to the place of its playlist.
    static func resolve(
        _ name: Name, base: Location, address: String?, _ search: NameSearch
    ) throws(SongError) -> Location {
        switch base {
        case .remote(let asked, _):
            guard !isOnWindows(name.bytes) else {
                throw .cannotOpen(song: SafeText.withoutCredentials(name.text), .windowsPath)
            }
            let text =
                name.kind == .path
                ? Self.path(name.text) : name.text
            return try resolve(text, address: address ?? asked)
        case .file(let path): return try resolve(name, folder: path.folder, search)
        case .standardInput: return try resolve(name, folder: "", search)
        }
    }

    /// A path as a part of an address. Two slashes at its beginning would name another server.
    private static func path(_ text: String) -> String {
        let path = text.prefix { $0 == "/" }.prefix(1) + text.drop { $0 == "/" }
        return FileName.encoded(Array(path.utf8)[...]) { "/-._~".utf8.contains($0) }
    }

    private static func resolve(
        _ name: Name, folder: FileName, _ search: NameSearch
    ) throws(SongError) -> Location {
        let isFile = name.text.prefix(5).lowercased() == "file:"
        guard name.kind != .path, isFile || name.text.contains("://") else {
            return try place(of: name, in: folder, search)
        }
        guard !isFile || !isOnWindows(name.text.dropFirst(5).drop { $0 == "/" }.utf8) else {
            throw .cannotOpen(song: SafeText.withoutCredentials(name.text), .windowsPath)
        }
        // As with other names, the very bytes count first.
        if isFile, !name.isUTF8, let exact = try? Location(FileName.encoded(name.bytes[...])),
            case .file(let path) = exact, path.isThere
        {
            return exact
        }
        let location = try Location(name.text)
        if case .file(let path) = location, let found = search.file(path, in: folder) {
            return .file(found)
        }
        return location
    }

    /// The file that an entry names by a path: the first of these that is there.
    ///
    /// 1. The name as it stands in the list, or the same text in UTF-8: the list may be older than the
    ///    disk.
    /// 2. With `/` for each `\`, which parts folders on Windows.
    /// 3. Decoded as a part of an address; in a format whose names are these, that comes first.
    ///
    /// Where none of them is there, the first that differs from a file as `NameSearch` says. Where there
    /// is none it is the first, but with `/` where `\` alone can part its folders: it may come later.
    private static func place(
        of name: Name, in folder: FileName, _ search: NameSearch
    ) throws(SongError) -> Location {
        var ways = [name.bytes]
        if !name.isUTF8 { ways.append(Array(name.text.utf8)) }
        var usual = ways[0]
        if name.text.contains("\\") {
            let parted = ways.map { $0.map { $0 == 0x5C ? 0x2F : $0 } }
            if !name.text.contains("/") { usual = parted[0] }
            ways += parted
        }
        let decoded = ways.filter { $0.contains(0x25) }.compactMap { FileName(encoded: $0)?.bytes }
        ways = name.kind == .address ? decoded + ways : ways + decoded
        if name.kind == .address, let first = decoded.first { usual = first }
        func file(_ bytes: [UInt8]) -> FileName {
            let file = FileName(bytes: bytes)
            return file.isAbsolute ? file : folder + file
        }
        let isOnWindows = isOnWindows(name.bytes)
        if let found = ways.lazy.map(file).first(where: \.isThere)
            ?? ways.lazy.compactMap({ search.file(FileName(bytes: $0), in: folder) }).first
        {
            return .file(found)
        }
        guard !isOnWindows else {
            throw .cannotOpen(song: SafeText.withoutCredentials(name.text), .windowsPath)
        }
        return .file(file(usual))
    }

    /// Whether a path names a drive or a server as Windows does: `C:\…`, `C:/…`, `\\server\…`.
    private static func isOnWindows(_ path: some Sequence<UInt8>) -> Bool {
        let start = Array(path.prefix(3))
        if start.starts(with: [0x5C, 0x5C]) { return true }
        return start.count == 3 && (0x61...0x7A).contains(start[0] | 0x20)
            && [0x3A, 0x7C].contains(start[1]) && [0x2F, 0x5C].contains(start[2])
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

    /// What tells that only so many of its songs have room in the list; nothing where all have.
    static func losses(of list: Location, added: Int, of count: Int) -> [SongError] {
        guard added < count else { return [] }
        return [
            .cannotOpen(
                song: list.description,
                .tooMany(added: added, of: count, limit: Playlist.maximumCount))
        ]
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
