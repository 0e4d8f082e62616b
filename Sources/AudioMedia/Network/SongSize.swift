/// How many bytes a song can have.
enum SongSize {
    /// 4 TiB: a year (`SongTime.longest`) at more than 1 Mbit/s.
    static let longest: Int64 = 1 << 42

    /// A length in bytes as a server, a file or a caller names it; nil when no song is so long:
    /// then the length is not known.
    static func believable(_ length: Int64) -> Int64? {
        (0...longest).contains(length) ? length : nil
    }
}
