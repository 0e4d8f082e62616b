import CCurl

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
