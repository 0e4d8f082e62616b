/// What of a file is the song, as a list says: times stay those of the file.
struct SongSpan: Sendable, Equatable {
    static let whole = SongSpan(start: 0, end: nil)

    /// Where it begins, in seconds.
    let start: Double
    /// Where it ends, in seconds; nil: with the file.
    let end: Double?
}
