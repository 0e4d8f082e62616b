import CCurl

extension Playlist {
    /// The song that an entry names, relative to the place of its playlist.
    static func resolve(
        _ name: String, base: Location, address: String?
    ) throws(SongError) -> Location {
        switch base {
        case .remote(let asked, _): return try resolve(name, address: address ?? asked)
        case .file(let path):
            return try resolve(name, folder: path.lastIndex(of: "/").map { path[...$0] } ?? "")
        case .standardInput: return try resolve(name, folder: "")
        }
    }

    private static func resolve(_ name: String, folder: Substring) throws(SongError) -> Location {
        if name.contains("://") || name.lowercased().hasPrefix("file:") {
            return try Location(name)
        }
        // In lists made on Windows a backslash parts folders; in a name with both slashes it is a
        // letter.
        let path =
            name.contains("\\") && !name.contains("/")
            ? String(name.map { $0 == "\\" ? "/" : $0 }) : name
        return .file(path: path.hasPrefix("/") ? path : folder + path)
    }

    /// Resolves `name` against `address` by libcurl (RFC 3986, 5.2). A result that is not `http` or
    /// `https` is refused: a list from the network must not open files.
    private static func resolve(_ name: String, address: String) throws(SongError) -> Location {
        guard let url = unsafe curl_url() else {
            throw .cannotOpen(song: Location.shownWithoutParsing(name), .noMemory)
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
