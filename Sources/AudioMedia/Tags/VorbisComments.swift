extension SongTags {
    /// Where lyrics are, in the order in which they are looked for.
    private static let lyricsKeys = ["SYNCEDLYRICS", "LYRICS", "UNSYNCEDLYRICS", "UNSYNCED LYRICS"]
    /// Most bytes that are read of one comment: more than is kept of lyrics.
    private static let longestComment = 1 << 18

    /// Reads the comments of Vorbis or Opus, `TITLE=…` and the like. Of two with the same key the first
    /// counts.
    init?(
        comments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        lengths: UnsafeMutablePointer<Int32>?, count: Int32
    ) {
        let keys = Set(["TITLE", "ARTIST"] + Self.lyricsKeys)
        let longestKey = keys.map(\.count).max() ?? 0
        var found: [String: String] = [:]
        if let comments = unsafe comments, let lengths = unsafe lengths {
            for i in 0..<Int(max(0, count)) {
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: comments[i], count: Int(lengths[i]))
                guard let sign = unsafe bytes.prefix(longestKey + 1).firstIndex(of: 0x3D)
                else { continue }
                let key = unsafe String(decoding: bytes[..<sign], as: UTF8.self).uppercased()
                guard keys.contains(key), found[key] == nil else { continue }
                let text = unsafe bytes[(sign + 1)...].prefix(Self.longestComment)
                found[key] = unsafe String(decoding: text, as: UTF8.self)
            }
        }
        self.init(
            title: found["TITLE"], artist: found["ARTIST"],
            lyrics: Self.lyricsKeys.lazy.compactMap { found[$0] }.first)
    }
}
