/// Where a queue looks for the lyrics of its songs.
public struct LyricsRequest: Sendable, Equatable {
    /// Those of the first song; nil: as for the others, the file beside the song that has its name
    /// and ends in `.lrc`.
    public var first: Location?

    public init(first: Location? = nil) { self.first = first }
}
