/// Songs in a row that cannot be opened: the first ten are told one by one, the others are counted,
/// for a playlist may name thousands.
struct RefusalTally {
    private static let told = 10

    private var count = 0

    /// What is told of a song, or of an entry of a playlist, that cannot be opened while others
    /// follow; nil when it is only counted.
    mutating func add(_ error: SongError) -> SongEvent? {
        count += 1
        return count <= Self.told ? .skipped(error) : nil
    }

    /// Ends the row, and gives what is told of those that were only counted; nil: there are none.
    mutating func end() -> SongEvent? {
        let rest = count - Self.told
        count = 0
        guard rest > 0 else { return nil }
        return .skipped(
            .cannotOpen(
                song: rest == 1 ? "1 more song" : "\(rest) more songs",
                .onlyFirstAreNamed(Self.told)))
    }
}
